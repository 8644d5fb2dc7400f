import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('files.touch', [
  ['Set the modified date to now', 'files touch /Reports/q3.pdf'],
])
