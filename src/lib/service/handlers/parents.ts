import type {Call, Handlers} from '#lib/service/call.js'
import {notFound, required} from '#lib/service/errors.js'
import {childReference, etagOf, link, parentReference} from '#lib/service/records/common.js'
import {lookupsFor} from '#lib/service/records/lookups.js'
import {type ReachedFile, realFileId, requireFile} from '#lib/service/store/sharing/access.js'
import {moveInto, moveToOwnersRoot, openParent} from '#lib/service/store/tree.js'

/**
 * The parent of an item (reference: protocols.md, section 10). An item has one parent, so inserting
 * another moves it, and deleting the parent moves it to its owner's root folder.
 */
export const parentsHandlers: Handlers<'parents'> = {
  'parents.get'(call) {
    const file = requireFile(call, call.params.fileId)
    return reference(call, file, parentOf(call, file))
  },

  'parents.list'(call) {
    const file = requireFile(call, call.params.fileId)
    const parent = lookupsFor(call, [file]).parent(file)
    return {
      kind: 'drive#parentList',
      etag: etagOf(file.id, parent ?? null),
      selfLink: link(call.origin, 'files', file.id, 'parents'),
      items: parent === undefined ? [] : [reference(call, file, parent)],
    }
  },

  'parents.insert'(call) {
    const {id} = call.body as {id?: string | null}
    if (!id) throw required('id')
    const file = requireFile(call, call.params.fileId)
    const parent = openParent(call, id, 'id')
    moveInto(call, file, parent, 'id')
    return reference(call, file, parent.id)
  },

  'parents.delete'(call) {
    const file = requireFile(call, call.params.fileId)
    parentOf(call, file)
    moveToOwnersRoot(call, file)
    return undefined
  },
}

/** The ID of the parent in the path. Throws 404 unless it is the parent of the item. */
function parentOf(call: Call<'parents.get'> | Call<'parents.delete'>, file: ReachedFile): string {
  const {parentId} = call.params
  const parent = lookupsFor(call, [file]).parent(file)
  if (parent === undefined || parent !== realFileId(call, parentId)) {
    throw notFound('Parent', parentId, 'parentId')
  }
  return parent
}

function reference(call: Call, file: ReachedFile, parentId: string) {
  return parentReference(call.origin, file.id, parentId, call.user.root_id)
}

/** The children of a folder, the reverse of parents. `children.list` is a search: `files.ts`. */
export const childrenHandlers = {
  'children.get'(call) {
    const {folder, child} = openLink(call)
    return childReference(call.origin, folder.id, child.id)
  },

  'children.insert'(call) {
    const {id} = call.body as {id?: string | null}
    if (!id) throw required('id')
    const folder = openParent(call, call.params.folderId, 'folderId')
    const child = requireFile(call, id, undefined, 'id')
    moveInto(call, child, folder, 'id')
    return childReference(call.origin, folder.id, child.id)
  },

  'children.delete'(call) {
    moveToOwnersRoot(call, openLink(call).child)
    return undefined
  },
} satisfies Partial<Handlers<'children'>>

/** The folder and the child in the path. Throws 404 unless the child is in the folder. */
function openLink(call: Call<'children.get'> | Call<'children.delete'>) {
  const {folderId, childId} = call.params
  const folder = requireFile(call, folderId, undefined, 'folderId')
  const child = requireFile(call, childId, undefined, 'childId')
  if (child.parent_id !== folder.id) throw notFound('File', childId, 'childId')
  return {folder, child}
}
