import {changeCommand} from '#lib/cli/verbs/content/content-routes.js'

export default changeCommand(
  'files.update',
  [
    ['Upload new content', 'files update /Reports/q3.pdf report.pdf'],
    [
      'Upload new content in place of the old revision',
      'files update /Reports/q3.pdf report.pdf --no-new-revision',
    ],
  ],
  'Without a path only the metadata changes. The title stays unless --title gives another.',
)
