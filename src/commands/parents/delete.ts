import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('parents.delete', [
  [
    'Take a file out of a folder, without a question',
    'parents delete /Reports/q3.pdf /Reports --yes',
  ],
])
