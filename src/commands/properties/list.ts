import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('properties.list', [
  ['List the custom properties of a file', 'properties list /Reports/q3.pdf'],
])
