import type {Call, Handlers} from '#lib/service/call.js'
import {notFound, required} from '#lib/service/errors.js'
import {childReference} from '#lib/service/records/common.js'
import {openFile} from '#lib/service/store/sharing/access.js'
import {moveInto, moveToOwnersRoot, openParent} from '#lib/service/store/tree.js'

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
