import {changeCommand} from '#lib/cli/verbs/content/content-routes.js'

export default changeCommand(
  'files.update',
  [
    ['Upload new content', 'files update /Reports/q3.pdf report.pdf'],
    [
      'Upload new content and discard the previous revision',
      'files update /Reports/q3.pdf report.pdf --no-new-revision',
    ],
  ],
  'Without PATH, only the metadata changes. The title is kept unless you set --title.',
)
