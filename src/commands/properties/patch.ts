import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('properties.patch', [
  ['Change the value of a property', 'properties patch /Reports/q3.pdf color --value blue'],
  [
    'Make a private property public',
    'properties patch /Reports/notes.txt color --property-visibility PUBLIC',
  ],
])
