import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('properties.update', [
  [
    'Change the value of a public property',
    'properties update /Reports/q3.pdf color --value blue --visibility PUBLIC',
  ],
])
