import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('parents.list', [
  ['List the folders a file is in', 'parents list /Reports/q3.pdf'],
])
