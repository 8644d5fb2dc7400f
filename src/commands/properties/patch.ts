import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('properties.patch', [
  ['Change the value of a property', 'properties patch FILE_ID colour --value blue'],
  [
    'Make a private property public',
    'properties patch FILE_ID colour --visibility PRIVATE --property-visibility PUBLIC',
  ],
])
