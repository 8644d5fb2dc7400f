import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('files.untrash', [
  ['Take a file back out of the trash', 'files untrash trash:/q2.pdf'],
])
