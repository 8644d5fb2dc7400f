import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('properties.delete', [
  ['Delete a private property', 'properties delete /Reports/q3.pdf colour'],
  ['Delete a public one', 'properties delete /Reports/q3.pdf colour --visibility PUBLIC'],
])
