import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('files.untrash', [
  ['Restore a file from the trash', 'files untrash trash:/q2.pdf'],
])
