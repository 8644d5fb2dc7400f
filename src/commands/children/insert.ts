import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('children.insert', [
  ['Put a file into a folder', 'children insert /Archive --id /Reports/q3.pdf'],
])
