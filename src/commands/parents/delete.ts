import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('parents.delete', [
  [
    'Remove a file from a folder without confirmation',
    'parents delete /Reports/q3.pdf /Reports --yes',
  ],
])
