import type {Call, Handlers} from '#lib/service/call.js'
import {badRequest, notFound} from '#lib/service/errors.js'
import {stored} from '#lib/service/metadata/create.js'
import {fileRecord} from '#lib/service/records/file.js'
import {recordChange} from '#lib/service/store/changes.js'
import {saveFile, setUserFile} from '#lib/service/store/files/files.js'
import {generateIds} from '#lib/service/store/generated-ids.js'
import {deleteTrees, emptyTrash} from '#lib/service/store/remove.js'
import {openFile} from '#lib/service/store/sharing/access.js'
import {setTrashed} from '#lib/service/store/tree.js'
import {exportFile, getFile} from './content.js'
import {copyFile, insertNewFile} from './newfiles.js'
import {updateFile} from './updates.js'

const SPACES = ['drive', 'appDataFolder']
const ID_TYPES = ['files', 'shortcuts']

/** Files and folders one by one (reference: operations.md; protocols.md, sections 2, 3 and 9 to 11). */
export const filesHandlers = {
  'files.insert': insertNewFile,
  'files.copy': copyFile,
  'files.get': getFile,
  'files.export': exportFile,
  'files.update': updateFile,
  'files.patch': updateFile,

  'files.delete'(call) {
    const {id} = openFile(call, call.params.fileId, 'canDelete')
    call.inSlices(deleteTrees(call, [id]))
    return undefined
  },

  'files.trash': call => trash(call, true),

  'files.untrash': call => trash(call, false),

  'files.touch'(call) {
    const {store, now, user} = call
    const file = openFile(call, call.params.fileId, 'canEdit')
    saveFile(store, file.id, {modified_at: now, modifier_id: user.id})
    setUserFile(store, user.id, file.id, {modified_at: now})
    recordChange(store, now, file.id, 'update')
    return fileRecord(call, stored(call, file.id))
  },

  'files.emptyTrash'(call) {
    const {driveId} = call.params
    const top = driveId ? openFile(call, driveId, 'canDeleteChildren', 'driveId') : undefined
    if (top && top.id !== top.drive_id) throw notFound('Shared drive', driveId!, 'driveId')
    call.inSlices(emptyTrash(call, top?.id ?? call.user.id))
    return undefined
  },

  'files.generateIds'({store, user, params}) {
    const {space, type, maxResults = 10} = params
    if (!SPACES.includes(space)) {
      throw badRequest(`space must be one of ${SPACES.join(', ')}.`, 'space', 'invalid')
    }
    if (!ID_TYPES.includes(type) || (type === 'shortcuts' && space !== 'drive')) {
      throw badRequest('type must be files, or shortcuts in the space drive.', 'type', 'invalid')
    }
    const ids = generateIds(store, user.id, {space, type}, maxResults)
    return {kind: 'drive#generatedIds', space, ids}
  },
} satisfies Partial<Handlers<'files'>>

function trash(call: Call<'files.trash' | 'files.untrash'>, trashed: boolean) {
  const file = openFile(call, call.params.fileId, 'canTrash')
  setTrashed(call, file, trashed)
  return fileRecord(call, stored(call, file.id))
}
