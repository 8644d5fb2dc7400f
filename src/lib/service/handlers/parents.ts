import type {Call, Handlers} from '#lib/service/call.js'
import {notFound, required} from '#lib/service/errors.js'
import {childReference, etagOf, link, parentReference} from '#lib/service/records/common.js'
import {lookupsFor} from '#lib/service/records/lookups.js'
import {type OpenFile, openFile, realFileId} from '#lib/service/store/sharing/access.js'
import {moveInto, moveToOwnersRoot, openParent} from '#lib/service/store/tree.js'

/**
 * The link of an item to the folder it is in, seen from the item (reference: protocols.md, section
 * 10). There is one, so inserting another moves the item; without one it goes to its owner's root.
 */
export const parentsHandlers: Handlers<'parents'> = {
  'parents.get'(call) {
    const file = openFile(call, call.params.fileId)
    return reference(call, file, parentOf(call, file))
  },

  'parents.list'(call) {
    const file = openFile(call, call.params.fileId)
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
    const file = openFile(call, call.params.fileId)
    const parent = openParent(call, id, 'id')
    moveInto(call, file, parent, 'id')
    return reference(call, file, parent.id)
  },

  'parents.delete'(call) {
    const file = openFile(call, call.params.fileId)
    parentOf(call, file)
    moveToOwnersRoot(call, file)
    return undefined
  },
}

/** The parent that the path names, if it is the item's. */
function parentOf(call: Call<'parents.get'> | Call<'parents.delete'>, file: OpenFile): string {
  const {parentId} = call.params
  const parent = lookupsFor(call, [file]).parent(file)
  if (parent === undefined || parent !== realFileId(call, parentId)) {
    throw notFound('Parent', parentId, 'parentId')
  }
  return parent
}

function reference(call: Call, file: OpenFile, parentId: string) {
  return parentReference(call.origin, file.id, parentId, call.user.root_id)
}

/** The same link as in `parents.ts`, seen from the folder. Lists of children are searches: see `search.ts`. */
export const childrenHandlers = {
  'children.get'(call) {
    const {folder, child} = openPair(call)
    return childReference(call.origin, folder.id, child.id)
  },

  'children.insert'(call) {
    const {id} = call.body as {id?: string | null}
    if (!id) throw required('id')
    const folder = openParent(call, call.params.folderId, 'folderId')
    const child = openFile(call, id, undefined, 'id')
    moveInto(call, child, folder, 'id')
    return childReference(call.origin, folder.id, child.id)
  },

  'children.delete'(call) {
    moveToOwnersRoot(call, openPair(call).child)
    return undefined
  },
} satisfies Partial<Handlers<'children'>>

/** Both ends of the link that the path names; 404 where there is none between them. */
function openPair(call: Call<'children.get'> | Call<'children.delete'>) {
  const {folderId, childId} = call.params
  const folder = openFile(call, folderId, undefined, 'folderId')
  const child = openFile(call, childId, undefined, 'childId')
  if (child.parent_id !== folder.id) throw notFound('File', childId, 'childId')
  return {folder, child}
}
