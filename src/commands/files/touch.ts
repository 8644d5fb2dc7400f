import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('files.touch', [
  ['Set the modified date to the current time', 'files touch /Reports/q3.pdf'],
])
