import {operationCommand} from '../../lib/cli/operation.js'

export default operationCommand('revisions.get', {
  examples: [['Show a revision', 'revisions get FILE_ID REVISION_ID']],
})
