import {listCommand} from '../../lib/cli/command/list.js'

export default listCommand('children.list', [
  ['What is at the top of My Drive', 'children list root'],
  [
    'The folders in a folder',
    `children list FOLDER_ID --q "mimeType='application/vnd.google-apps.folder'" --all`,
  ],
])
