import type {Call} from '#lib/service/call.js'
import {
  acceptContent,
  contentType,
  namedType,
  requireContentScope,
  setContentDetails,
} from '#lib/service/content/incoming.js'
import {kindOfType} from '#lib/service/content/types.js'
import {badRequest, forbidden, invalid} from '#lib/service/errors.js'
import {
  applyPlan,
  currentOf,
  newModifiedDate,
  requireCapabilities,
} from '#lib/service/metadata/apply.js'
import {parentIn, storedFile} from '#lib/service/metadata/create.js'
import {type Plan, planMetadata} from '#lib/service/metadata/file.js'
import {fileRecord} from '#lib/service/records/file.js'
import {lookupsFor} from '#lib/service/records/lookups.js'
import {recordChange} from '#lib/service/store/changes.js'
import type {ChangedPart} from '#lib/service/store/channels.js'
import {NO_MARKS, saveFile, setUserFile, userFilesOf} from '#lib/service/store/files/files.js'
import {contentText, indexFile} from '#lib/service/store/files/fulltext.js'
import {addRevision, replaceHead} from '#lib/service/store/files/revisions.js'
import {type ReachedFile, realFileId, requireFile} from '#lib/service/store/sharing/access.js'
import {moveInto, moveToOwnersRoot, openParent, setTrashed} from '#lib/service/store/tree.js'

type Update = Call<'files.update'> | Call<'files.patch'>

/**
 * Changes the metadata, content, folder and trash status of a file where the request sets them
 * (reference: operations.md, files.update and files.patch; protocols.md, section 2).
 */
export function updateFile(call: Update) {
  const {store, now, user, params, body, media} = call
  const file = requireFile(call, params.fileId)
  const plan = planMetadata(body, currentOf(call, file), {userId: user.id, now})
  const type = requestedType(call, file)
  if (media) {
    requireContentScope(call)
    plan.needs.add('canModifyContent')
  }
  const moves = plan.moves || media !== undefined
  const date = newModifiedDate(
    {
      behavior: params.modifiedDateBehavior,
      setModifiedDate: call.given.includes('setModifiedDate') ? params.setModifiedDate : undefined,
      fromBody: body.modifiedDate as string | null | undefined,
      moves,
    },
    now,
  )
  if (date !== undefined) plan.needs.add('canEdit')
  const edits = plan.needs.size > 0
  const trashed = requestedTrash(body, file)
  if (trashed !== undefined) plan.needs.add('canTrash')
  requireCapabilities(call, file, plan.needs)

  if (media) changeContent(call, file, type, plan)
  applyPlan(call, file, plan)
  if (date !== undefined || moves) {
    saveFile(store, file.id, {modified_at: date ?? file.modified_at, modifier_id: user.id})
  }
  setUserFile(store, user.id, file.id, {
    ...ownMarks(call, file),
    modified_at: date,
  })
  const moved = move(call, file)
  // Moving and trashing record their own changes.
  if (edits || !(moved || trashed !== undefined)) {
    const parts: ChangedPart[] = media ? ['content', 'properties'] : ['properties']
    recordChange(store, now, file.id, 'update', parts)
  }
  if (trashed !== undefined) setTrashed(call, storedFile(call, file.id), trashed)
  return fileRecord(call, storedFile(call, file.id))
}

/** The media type after the update. It changes only with new content. Throws 400 for a type of another kind. */
function requestedType({store, body, media}: Update, file: ReachedFile): string {
  if (!media) return file.mime_type
  const named = namedType(body.mimeType)
  const kind = kindOfType(file.mime_type)
  if (kind === 'editor') return file.mime_type
  if (named !== undefined && kindOfType(named) !== kind) {
    throw invalid(`File ${file.id} cannot become ${named}.`, 'mimeType')
  }
  if (named === undefined && media.mimeType === undefined) return file.mime_type
  return contentType(store, named, media, file.title)
}

/** Stores new content as a new revision, or in place of the newest one if the request says so. */
function changeContent(call: Update, file: ReachedFile, type: string, plan: Plan): void {
  const {store, params, media} = call
  const kind = kindOfType(file.mime_type)!
  const found = kind === 'editor' ? contentType(store, undefined, media, file.title) : type
  const content = acceptContent(call, {...media!, blobId: media!.id, mimeType: found}, kind, type)
  const revision = {
    blobId: content.blobId,
    mimeType: type,
    originalFilename:
      kind === 'binary' ? (plan.originalFilename ?? file.original_filename ?? file.title) : null,
    pinned: params.pinned,
  }
  if (params.newRevision || file.head_revision_id === null) addRevision(call, file.id, revision)
  else replaceHead(call, file.id, revision)
  setContentDetails(store, plan.details, content)
  saveFile(store, file.id, {mime_type: type})
  indexFile(store, file.id, {
    content: contentText(store, content, params.useContentAsIndexableText),
  })
}

/**
 * The new trash status, `undefined` if it stays. A client that sends back a whole record must not
 * trash a file that is only in the trash with its folder.
 */
function requestedTrash(
  body: Readonly<Record<string, unknown>>,
  file: ReachedFile,
): boolean | undefined {
  const {trashed} = (body.labels ?? {}) as {trashed?: boolean | null}
  if (trashed === true) return file.trashed === 1 ? undefined : true
  if (trashed === false) return file.explicitly_trashed === 1 ? false : undefined
  return undefined
}

/** The caller's marks on the file after the update: the star, and the time of the last view in Unix ms. */
function ownMarks({store, user, body, params, now}: Update, {id}: ReachedFile) {
  const before = userFilesOf(store, user.id, [id]).get(id) ?? NO_MARKS
  const {starred, viewed} = (body.labels ?? {}) as {starred?: boolean | null; viewed?: boolean}
  const automatic = params.updateViewedDate ? now : before.viewed_at
  const text = body.lastViewedByMeDate as string | null | undefined
  const date = typeof text === 'string' ? Date.parse(text) : text
  const viewedAt =
    date !== undefined && date !== before.viewed_at
      ? date
      : viewed === false && before.viewed_at !== null
        ? null
        : viewed === true
          ? (automatic ?? now)
          : automatic
  return {
    viewed_at: viewedAt,
    starred: starred === undefined ? undefined : Number(starred ?? false),
  }
}

/**
 * Moves the file according to `addParents` and `removeParents`, or else to the parents of the body.
 * Returns whether the request asks for a move (reference: protocols.md, section 10). A record that a
 * client sends back contains the current parent, which is not a move.
 */
function move(call: Update, file: ReachedFile): boolean {
  const added = idList(call, call.params.addParents)
  const removed = idList(call, call.params.removeParents)
  if (added.length + removed.length === 0) {
    const named = parentIn(call.body)
    if (named === undefined || realFileId(call, named) === file.parent_id) return false
    moveInto(call, file, openParent(call, named, 'parents'), 'parents')
    return true
  }
  for (const id of removed) {
    if (id === file.parent_id) continue
    throw invalid(`File ${file.id} is not in folder ${id}.`, 'removeParents')
  }
  // A caller who cannot see the current parent cannot name it in removeParents.
  const isVisible = removed.length > 0 || lookupsFor(call, [file]).parent(file) !== undefined
  if (added.length > 1 || (added.length === 1 && removed.length === 0 && isVisible)) {
    const [id] = added
    if (added.length === 1 && id === file.parent_id) {
      throw badRequest(`File ${file.id} is already in folder ${id}.`, 'addParents')
    }
    throw forbidden(
      'cannotAddParent',
      'Increasing the number of parents is not allowed. Set removeParents to the current parent.',
      'addParents',
    )
  }
  const [target] = added
  if (target !== undefined) {
    moveInto(call, file, openParent(call, target, 'addParents'), 'addParents')
  } else if (removed.length > 0) moveToOwnersRoot(call, file)
  return true
}

function idList(call: Update, text: string | undefined): string[] {
  const ids = (text ?? '').split(',').map(id => id.trim())
  return [...new Set(ids.filter(id => id !== '').map(id => realFileId(call, id)))]
}
