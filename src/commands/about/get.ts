import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('about.get', [
  ['Who you are and how much storage you use', 'about get'],
  ['Only the storage, as JSON', 'about get --fields quotaBytesUsed,quotaBytesTotal --json'],
])
