import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('properties.patch', [
  ['Change the value of a property', 'properties patch /Reports/q3.pdf colour --value blue'],
  [
    'Make a private property public',
    'properties patch /Reports/notes.txt colour --property-visibility PUBLIC',
  ],
])
