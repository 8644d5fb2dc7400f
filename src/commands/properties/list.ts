import {listCommand} from '../../lib/cli/command/list.js'

export default listCommand('properties.list', [
  ['List the custom properties of a file', 'properties list /Reports/q3.pdf'],
])
