import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('properties.insert', [
  [
    'Set a private property, visible only to this app',
    'properties insert /Reports/q3.pdf --key state --value done',
  ],
  [
    'Set a public property',
    'properties insert /Reports/q3.pdf --key state --value done --visibility PUBLIC',
  ],
])
