import type {Call, Params} from '#lib/service/call.js'
import {kindOfType} from '#lib/service/content/types.js'
import {forbidden, insufficientRole, required} from '#lib/service/errors.js'
import {recordAccessChange} from '#lib/service/store/changes.js'
import {detailsOf, saveFile} from '#lib/service/store/files/files.js'
import {indexFile} from '#lib/service/store/files/fulltext.js'
import {
  removeProperty,
  setProperty,
  visiblePropertiesOf,
} from '#lib/service/store/files/properties.js'
import {renameContent, saveThumbnail} from '#lib/service/store/files/revisions.js'
import type {ReachedFile} from '#lib/service/store/sharing/access.js'
import {capabilitiesOf, type Capability} from '#lib/service/store/sharing/capabilities.js'
import type {Current, Plan} from './file.js'

/** The current metadata of a file, for `planMetadata`. */
export function currentOf(call: Call, file: ReachedFile): Current {
  return {
    kind: kindOfType(file.mime_type) ?? 'binary',
    title: file.title,
    originalFilename: file.original_filename,
    inherits: file.inherits === 1,
    inDrive: file.drive_id !== null,
    details: detailsOf(file),
    properties: visiblePropertiesOf(call.store, [file.id], call.clientId).get(file.id) ?? [],
  }
}

/** Throws 403 unless the caller has all of these capabilities on the file. */
export function requireCapabilities(
  call: Call,
  file: ReachedFile,
  needs: Iterable<Capability>,
): void {
  const can = capabilitiesOf(call.store, file)
  const missing = [...needs].find(need => !can[need])
  if (!missing) return
  const isLocked = detailsOf(file).contentRestriction !== undefined
  if (isLocked && can.canEdit && (missing === 'canModifyContent' || missing === 'canRename')) {
    throw forbidden(
      'contentRestricted',
      `The content of file ${file.id} is locked. Remove the lock in contentRestrictions first.`,
    )
  }
  throw insufficientRole(file.id)
}

/** Writes the changes of a plan, and indexes the text of new content. Does not check capabilities or record a change. */
export function applyPlan(call: Call, file: ReachedFile, plan: Plan, content?: string): void {
  const {store} = call
  if (plan.title !== undefined) saveFile(store, file.id, {title: plan.title})
  if (plan.originalFilename !== undefined) {
    renameContent(store, file.id, plan.originalFilename)
  }
  if (plan.inherits !== undefined) {
    const inherits = Number(plan.inherits)
    recordAccessChange(call, file.id, ['permissions'], () => {
      saveFile(store, file.id, {inherits})
    })
  }
  if (plan.thumbnail !== undefined) applyThumbnail(call, file.id, plan)
  const details = JSON.stringify(plan.details)
  if (details !== file.details) saveFile(store, file.id, {details})
  for (const {key, value, visibility} of plan.properties) {
    const name = {fileId: file.id, key, visibility}
    if (value === null) removeProperty(call, name)
    else setProperty(call, name, value)
  }
  const hasNewDescription = plan.details.description !== detailsOf(file).description
  if (hasNewDescription || plan.indexableText !== undefined || content !== undefined) {
    indexFile(store, file.id, {given: plan.indexableText, content})
  }
}

function applyThumbnail(call: Call, fileId: string, {thumbnail = null, details}: Plan): void {
  saveThumbnail(call, fileId, thumbnail)
  if (thumbnail) details.thumbnailVersion = (details.thumbnailVersion ?? 0) + 1
  else delete details.thumbnailVersion
}

/** The parts of a request that determine the modified date. */
interface DateOptions {
  readonly behavior: Params<'files.update'>['modifiedDateBehavior']
  /** `undefined` if the request does not contain it. */
  readonly setModifiedDate: boolean | undefined
  readonly fromBody: string | null | undefined
  /** Whether the request changes something that updates the date. */
  readonly moves: boolean
}

/** The modified date after an update, in Unix ms; `undefined` if it stays (reference: protocols.md, section 2). Throws 400. */
export function newModifiedDate(options: DateOptions, now: number): number | undefined {
  const {setModifiedDate, fromBody, moves} = options
  const body = typeof fromBody === 'string' ? Date.parse(fromBody) : undefined
  const implied =
    setModifiedDate === undefined ? 'nowIfNeeded' : setModifiedDate ? 'fromBodyOrNow' : 'now'
  switch (options.behavior ?? implied) {
    case 'fromBody':
      return orRequired(body)
    case 'fromBodyIfNeeded':
      return moves ? orRequired(body) : undefined
    case 'fromBodyOrNow':
      return body ?? now
    case 'now':
      return now
    case 'nowIfNeeded':
      return moves ? now : undefined
    case 'noChange':
      return undefined
  }
}

function orRequired(date: number | undefined): number {
  if (date === undefined) throw required('modifiedDate')
  return date
}
