import {parentFlag, withParent} from '#lib/cli/input/shared-flags.js'
import {operationCommand} from '#lib/cli/run/operation-command.js'

export default operationCommand(
  'files.copy',
  [
    ['Copy a file', 'files copy /Reports/q3.pdf --title "q3, my copy.pdf"'],
    ['Copy a file into another folder', 'files copy /Reports/q3.pdf --parent /Archive'],
  ],
  {
    flags: parentFlag,
    request: async (standard, {flags}) => withParent(await standard(), flags.parent),
  },
)
