import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('children.insert', [
  ['Add a file to a folder', 'children insert /Archive --id /Reports/q3.pdf'],
])
