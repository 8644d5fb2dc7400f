import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand('changes.get', [['Show a change', 'changes get "$CHANGE_ID"']], {
  successors: ['changes get-start-page-token', 'changes list'],
})
