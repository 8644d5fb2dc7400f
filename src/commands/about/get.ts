import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('about.get', [
  ['See who you are and how much storage you use', 'about get'],
  ['Get only the storage, as JSON', 'about get --fields quotaBytesUsed,quotaBytesTotal --json'],
])
