import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('parents.insert', [
  ['Move a file to another folder', 'parents insert /Reports/q3.pdf --id /Archive'],
])
