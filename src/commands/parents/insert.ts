import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('parents.insert', [
  ['Add a file to a folder', 'parents insert /Reports/q3.pdf --id /Archive'],
])
