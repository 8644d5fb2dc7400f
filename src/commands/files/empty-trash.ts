import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('files.emptyTrash', [
  ['Empty your trash without confirmation', 'files empty-trash --yes'],
  ['Empty the trash of a shared drive', 'files empty-trash --drive-id Finance --yes'],
])
