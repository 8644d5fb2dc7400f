import {operationCommand} from '../../lib/cli/command/operation.js'

export default operationCommand('changes.get', [['Show a change', 'changes get 4711']], {
  successors: ['changes get-start-page-token', 'changes list'],
})
