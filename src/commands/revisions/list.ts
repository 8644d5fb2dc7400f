import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand(
  'revisions.list',
  [['List the revisions of a file', 'revisions list /Reports/q3.pdf --all']],
  {aliases: ['revisions ls', 'versions']},
)
