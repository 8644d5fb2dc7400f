import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('files.generateIds', [
  ['Reserve three IDs', 'files generate-ids --max-results 3'],
  ['Print one ID per line', "files generate-ids --max-results 3 --jq '.ids[]'"],
])
