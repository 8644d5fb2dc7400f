import type {Call} from '#lib/service/call.js'
import {type Incoming, withContentFacts} from '#lib/service/content/incoming.js'
import {forbidden, required} from '#lib/service/errors.js'
import {recordChange} from '#lib/service/store/changes.js'
import {
  fileById,
  type FileDetails,
  insertFile,
  setUserFile,
} from '#lib/service/store/files/files.js'
import {contentText} from '#lib/service/store/files/fulltext.js'
import {addRevision} from '#lib/service/store/files/revisions.js'
import {newFileId} from '#lib/service/store/ids.js'
import {type OpenFile, roleOn} from '#lib/service/store/sharing/access.js'
import {checkRoom, setTrashed} from '#lib/service/store/tree.js'
import {applyPlan, currentOf, requireCapabilities} from './apply.js'
import {planMetadata, titleIn} from './file.js'

/** What a new item is made of. */
export interface NewItem {
  /** Made before by generateIds; the service chooses one otherwise. */
  readonly id?: string
  readonly parent: OpenFile
  readonly mimeType: string
  /** The writable fields of a File, as in the body of an insert. */
  readonly fields: Readonly<Record<string, unknown>>
  /** What a copy has from its source. */
  readonly details?: FileDetails
  readonly content?: Incoming
  readonly pinned?: boolean
  readonly shortcutTargetId?: string
  /** Look for text in content of any type. */
  readonly indexAnyContent?: boolean
}

/** Makes an item with all that belongs to it, and records it. The caller becomes its owner, or the shared drive of its folder. */
export function createItem(call: Call, item: NewItem): OpenFile {
  const {store, now, user} = call
  const {parent, fields, content} = item
  checkRoom(store, parent)
  const id = item.id ?? newFileId(store.random)
  const title = titleIn(fields)
  const modified = dateOf(fields.modifiedDate) ?? now
  insertFile(store, {
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
  const file = stored(call, id)
  const current = {...currentOf(call, file), details: item.details ?? {}}
  const plan = planMetadata(fields, current, {userId: user.id, now})
  requireCapabilities(call, file, plan.needs)
  if (content) {
    withContentFacts(store, plan.details, content)
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
    setTrashed(call, stored(call, id), true)
  }
  return stored(call, id)
}

/** A file that the caller has at hand, as it is now. */
export function stored(call: Call, id: string): OpenFile {
  const file = fileById(call.store, id)!
  return {...file, role: roleOn(call.store, call.user, file, call.now) ?? 'reader'}
}

function dateOf(text: unknown): number | undefined {
  return typeof text === 'string' ? Date.parse(text) : undefined
}

type Body = Readonly<Record<string, unknown>>

/** The ID of the one parent that a body names; `undefined` where it names none. Throws 400 and 403. */
export function parentIn(body: Body): string | undefined {
  const parents = (body.parents ?? []) as ReadonlyArray<{id?: string}>
  if (parents.length > 1) {
    throw forbidden(
      'cannotAddParent',
      'An item has one parent. Name one folder in parents.',
      'parents',
    )
  }
  const [parent] = parents
  if (parent === undefined) return undefined
  if (!parent.id) throw required('parents.id')
  return parent.id
}

/** The body with parents that are given as text, as in other versions of the API, made references. */
export function withParentReferences(body: Body): Body {
  const {parents} = body
  if (!Array.isArray(parents)) return body
  const references = parents.map((each: unknown) => (typeof each === 'string' ? {id: each} : each))
  return {...body, parents: references}
}
