import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('properties.insert', [
  [
    'Set a property that only this app sees',
    'properties insert /Reports/q3.pdf --key state --value done',
  ],
  [
    'Set one that everybody sees',
    'properties insert /Reports/q3.pdf --key state --value done --visibility PUBLIC',
  ],
])
