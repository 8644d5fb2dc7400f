import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('properties.insert', [
  [
    'Set a property that only this app sees',
    'properties insert FILE_ID --key colour --value green',
  ],
  [
    'Set one that everybody sees',
    'properties insert FILE_ID --key colour --value green --visibility PUBLIC',
  ],
])
