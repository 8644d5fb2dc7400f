import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('properties.get', [
  ['Show a private property', 'properties get /Reports/q3.pdf color'],
  ['Print only its value', 'properties get /Reports/q3.pdf color --jq .value'],
])
