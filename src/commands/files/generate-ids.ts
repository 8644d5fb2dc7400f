import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('files.generateIds', [
  ['Reserve three IDs', 'files generate-ids --max-results 3'],
  ['The IDs alone, one a line', "files generate-ids --max-results 3 --json | jq -r '.ids[]'"],
])
