import {listCommand} from '../../lib/cli/command/list.js'

export default listCommand('properties.list', [
  ['The custom properties of a file', 'properties list FILE_ID'],
])
