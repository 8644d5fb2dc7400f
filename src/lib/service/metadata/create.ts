import type {Call} from '#lib/service/call.js'
import {type Incoming, setContentDetails} from '#lib/service/content/incoming.js'
import {forbidden, required} from '#lib/service/errors.js'
import {recordChange} from '#lib/service/store/changes.js'
import {
  fileById,
  type FileDetails,
  insertFileRow,
  setUserFile,
} from '#lib/service/store/files/files.js'
import {contentText} from '#lib/service/store/files/fulltext.js'
import {addRevision} from '#lib/service/store/files/revisions.js'
import {newFileId} from '#lib/service/store/ids.js'
import {type ReachedFile, roleOn} from '#lib/service/store/sharing/access.js'
import {checkTreeLimits, setTrashed} from '#lib/service/store/tree.js'
import {applyPlan, currentOf, requireCapabilities} from './apply.js'
import {planMetadata, titleIn} from './file.js'

/** The data of a new item. */
export interface NewItem {
  /** An ID from files.generateIds (default: a new one). */
  readonly id?: string
  readonly parent: ReachedFile
  readonly mimeType: string
  /** The writable fields of a File, as in the body of an insert. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The details that a copy takes from its source. */
  readonly details?: FileDetails
  readonly content?: Incoming
  readonly pinned?: boolean
  readonly shortcutTargetId?: string
  /** Index text in content of any type. */
  readonly indexAnyContent?: boolean
}

/** Creates an item and records the change. Its owner is the caller, or the shared drive of its folder. Throws 400 and 403. */
export function createItem(call: Call, item: NewItem): ReachedFile {
  const {store, now, user} = call
  const {parent, fields, content} = item
  checkTreeLimits(store, parent)
  const id = item.id ?? newFileId(store.random)
  const title = titleIn(fields)
  const modified = dateOf(fields.modifiedDate) ?? now
  insertFileRow(store, {
    id,
    drive_id: parent.drive_id,
    owner_id: parent.drive_id === null ? user.id : null,
    space: parent.space,
    client_id: call.clientId,
    parent_id: parent.id,
    title,
    mime_type: item.mimeType,
    created_at: dateOf(fields.createdDate) ?? now,
    modified_at: modified,
    modifier_id: user.id,
    trashed: parent.trashed,
    shortcut_target_id: item.shortcutTargetId,
  })
  const file = storedFile(call, id)
  const current = {...currentOf(call, file), details: item.details ?? {}}
  const plan = planMetadata(fields, current, {userId: user.id, now})
  requireCapabilities(call, file, plan.needs)
  if (content) {
    setContentDetails(store, plan.details, content)
    addRevision(call, id, {
      blobId: content.blobId,
      mimeType: item.mimeType,
      originalFilename: current.kind === 'binary' ? title : null,
      pinned: item.pinned,
    })
  }
  applyPlan(call, file, plan, content ? contentText(store, content, item.indexAnyContent) : '')
  const {starred, viewed, trashed} = (fields.labels ?? {}) as Readonly<Record<string, unknown>>
  setUserFile(store, user.id, id, {
    starred: Number(starred ?? false),
    viewed_at: viewed === false ? null : (dateOf(fields.lastViewedByMeDate) ?? now),
    modified_at: modified,
  })
  recordChange(store, now, id, 'add')
  if (trashed) {
    requireCapabilities(call, file, ['canTrash'])
    setTrashed(call, storedFile(call, id), true)
  }
  return storedFile(call, id)
}

/** The current state of a file that exists, with the caller's role. */
export function storedFile(call: Call, id: string): ReachedFile {
  const file = fileById(call.store, id)!
  return {...file, role: roleOn(call.store, call.user, file, call.now) ?? 'reader'}
}

function dateOf(text: unknown): number | undefined {
  return typeof text === 'string' ? Date.parse(text) : undefined
}

type Body = Readonly<Record<string, unknown>>

/** The ID of the parent in a body; `undefined` if it has none. Throws 400 if the ID is missing, 403 for several parents. */
export function parentIn(body: Body): string | undefined {
  const parents = (body.parents ?? []) as ReadonlyArray<{id?: string}>
  if (parents.length > 1) {
    throw forbidden(
      'cannotAddParent',
      'An item can have only one parent. Send one folder in parents.',
      'parents',
    )
  }
  const [parent] = parents
  if (parent === undefined) return undefined
  if (!parent.id) throw required('parents.id')
  return parent.id
}

/** The body with parents as references. Other versions of the API send them as plain IDs. */
export function withParentReferences(body: Body): Body {
  const {parents} = body
  if (!Array.isArray(parents)) return body
  const references = parents.map((each: unknown) => (typeof each === 'string' ? {id: each} : each))
  return {...body, parents: references}
}
