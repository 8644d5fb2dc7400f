import {description} from '#lib/api/description/index.js'
import {type Operation, operations} from '#lib/api/operations.js'
import {literalSegments, matchUrlPath} from '#lib/api/url-paths.js'

/** The kind of path: plain, an upload path for requests with content, or a download path for content only. */
export type Form = 'plain' | 'upload' | 'download'

/** The operation for a path and a method, or the methods that the path allows. */
export type MatchedRoute =
  | {readonly form: Form; readonly operation: Operation; readonly values: Record<string, string>}
  | {readonly allow: readonly string[]}

export type Router = (method: string, path: string) => MatchedRoute | undefined

interface Entry {
  readonly template: string
  readonly form: Form
  /** By method, in upper case. */
  readonly operations: Map<string, Operation>
}

/**
 * A router for the paths of the description (reference: description-format.md, sections 5 and 6).
 * If two templates match, the one with more literal segments wins, regardless of the method. Returns
 * `undefined` for an unknown path.
 */
export function createRouter(): Router {
  const bySegments = new Map<number, Entry[]>()
  const add = (template: string, form: Form, method: string, target: Operation) => {
    const count = template.split('/').length
    const entries = bySegments.get(count) ?? []
    bySegments.set(count, entries)
    let entry = entries.find(known => known.template === template)
    if (!entry) entries.push((entry = {template, form, operations: new Map()}))
    entry.operations.set(method, target)
  }

  for (const target of operations) {
    const path = `/${description.servicePath}${target.path}`
    add(path, 'plain', target.httpMethod, target)
    if (target.useMediaDownloadService) add(`/download${path}`, 'download', 'GET', target)
    for (const uploadPath of uploadPaths(target)) {
      add(uploadPath, 'upload', target.httpMethod, target)
      // The description has only PUT; the specification also allows PATCH to change content.
      if (target.httpMethod === 'PUT') add(uploadPath, 'upload', 'PATCH', target)
    }
  }
  for (const entries of bySegments.values()) {
    entries.sort((a, b) => literalSegments(b.template) - literalSegments(a.template))
  }

  return (method, path) => {
    for (const {template, form, operations} of bySegments.get(path.split('/').length) ?? []) {
      const values = matchUrlPath(template, path)
      if (!values) continue
      const target = operations.get(method)
      return target ? {form, operation: target, values} : {allow: [...operations.keys()]}
    }
    return undefined
  }
}

/** The upload paths of an operation, including the older path for resumable uploads. */
function uploadPaths({mediaUpload}: Operation): string[] {
  const {simple, resumable} = mediaUpload?.protocols ?? {}
  if (!simple || !resumable) return []
  return [...new Set([simple.path, resumable.path, `/resumable${simple.path}`])]
}
