import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('files.generateIds', [
  ['Reserve three IDs', 'files generate-ids --max-results 3'],
  ['Get the IDs alone, one a line', "files generate-ids --max-results 3 --jq '.ids[]'"],
])
