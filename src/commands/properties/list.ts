import {listCommand} from '#lib/cli/run/list-command.js'

export default listCommand('properties.list', [
  ['List the custom properties of a file', 'properties list /Reports/q3.pdf'],
])
