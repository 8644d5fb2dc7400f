import {changeCommand} from '../../lib/cli/command/change.js'

export default changeCommand(
  'files.update',
  [
    ['Upload new content', 'files update FILE_ID report.pdf'],
    [
      'Upload new content in place of the old revision',
      'files update FILE_ID report.pdf --no-new-revision',
    ],
    ['Rename a file', 'files update FILE_ID --title "Report, June"'],
  ],
  'Without a path only the metadata changes. The title stays unless --title gives another.',
)
