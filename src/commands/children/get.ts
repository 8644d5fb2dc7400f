import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('children.get', [
  ['Check whether a file is in a folder', 'children get /Reports /Reports/q3.pdf'],
])
