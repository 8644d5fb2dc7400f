import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('properties.delete', [
  ['Delete a private property', 'properties delete FILE_ID colour'],
  ['Delete a public one', 'properties delete FILE_ID colour --visibility PUBLIC'],
])
