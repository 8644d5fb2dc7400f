import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('about.get', [
  ['Show your account and storage quota', 'about get'],
  [
    'Print only the storage quota as JSON',
    'about get --fields quotaBytesUsed,quotaBytesTotal --json',
  ],
])
