import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('children.list', [
  ['List the root of My Drive', 'children list root'],
  [
    'List the folders in a folder',
    `children list /Reports --q "mimeType='application/vnd.google-apps.folder'"`,
  ],
])
