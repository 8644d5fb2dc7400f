import {createsFile} from '#lib/api/operations.js'
import {isObject} from '#lib/api/validate.js'
import type {Reverse} from '#lib/history/reversal.js'
import {reverseOf} from '#lib/history/reverse.js'
import type {HistoryStep} from '#lib/history/runs.js'

/** What the changes of the history were made to, and how they are reversed. */

/** How to reverse a step that can be reversed. */
export function reversingOf({operation, ...change}: HistoryStep): Reversing {
  return reverseOf(operation, change) as Reversing
}

export type Reversing = Exclude<Reverse, {readonly reason: string}>

/** The item that a step changed: a file, or a part of it with a tag of its own. */
export function changedItemOf({operation, params, body, result}: HistoryStep): string {
  const [resource] = operation.split('.')
  const file = String(params.fileId ?? params.childId ?? '')
  switch (resource) {
    case 'permissions':
      return `${file} permission ${String(result?.id ?? params.permissionId ?? '')}`
    case 'properties':
      return `${file} property ${String(params.propertyKey ?? body.key ?? '')}`
    case 'revisions':
      return `${file} revision ${String(params.revisionId ?? '')}`
    case 'drives':
      return String(params.driveId ?? result?.id ?? '')
    case 'children':
      return String(params.childId ?? body.id ?? '')
    default:
      if (operation === 'files.modifyLabels') return `${file} labels`
      return createsFile(operation) ? String(result?.id ?? body.id ?? '') : file
  }
}

/** The folders that a step put something into. */
export function filledFolders({params, body}: HistoryStep): string[] {
  const parents: unknown[] = Array.isArray(body.parents) ? body.parents : []
  const ids = [params.addParents, params.folderId, ...parents.map(one => isObject(one) && one.id)]
  return ids.filter(id => typeof id === 'string')
}

/** The tag with which a step left its item, if the reverse call can be made to depend on it. */
export function etagAfter({operation, result}: HistoryStep): string | undefined {
  const isTagged = /^(files|permissions|properties|revisions)\./.test(operation)
  return isTagged && typeof result?.etag === 'string' ? result.etag : undefined
}

/** The name of a step's item for people. */
export function nameOf({item, params, body, result}: HistoryStep): string {
  const name = item ?? result?.title ?? body.title ?? result?.name ?? body.name
  return String(name ?? params.fileId ?? params.childId ?? params.driveId ?? 'an item')
}
