import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('properties.get', [
  ['Show a private property', 'properties get FILE_ID colour'],
  ['Its value alone', 'properties get FILE_ID colour --json | jq -r .value'],
])
