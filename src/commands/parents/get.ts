import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('parents.get', [
  ['Check whether a file is in a folder', 'parents get /Reports/q3.pdf /Reports'],
])
