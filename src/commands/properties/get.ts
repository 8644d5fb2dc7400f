import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('properties.get', [
  ['Show a private property', 'properties get /Reports/q3.pdf colour'],
  ['Get its value alone', 'properties get /Reports/q3.pdf colour --jq .value'],
])
