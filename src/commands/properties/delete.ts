import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('properties.delete', [
  ['Delete a private property', 'properties delete /Reports/q3.pdf color'],
  ['Delete a public property', 'properties delete /Reports/q3.pdf color --visibility PUBLIC'],
])
