import {changeCommand} from '#lib/cli/verbs/content/content-routes.js'

export default changeCommand(
  'files.patch',
  [
    ['Rename a file', 'files patch /Reports/q3.pdf --title q3-final.pdf'],
    [
      'Move a file into another folder',
      'files patch /Reports/q3.pdf --add-parents /Archive --remove-parents /Reports',
    ],
    ['Star a file', 'files patch /Reports/q3.pdf --labels.starred'],
    ['Upload new content', 'files patch /Reports/q3.pdf report.pdf'],
  ],
  'With PATH, also uploads new content, in a request like that of `drv files update`.',
)
