import {parentFlag, withParent} from '../../lib/cli/arguments/parent.js'
import type {Parsed} from '../../lib/cli/arguments/input.js'
import {operationCommand} from '../../lib/cli/command/operation.js'

const Operation = operationCommand(
  'files.copy',
  [
    ['Copy a file', 'files copy /Reports/q3.pdf --title "q3, my copy.pdf"'],
    ['Copy a file into another folder', 'files copy /Reports/q3.pdf --parent /Archive'],
  ],
  {flags: parentFlag},
)

export default class FilesCopy extends Operation {
  protected override async input(parsed: Parsed) {
    return withParent(await super.input(parsed), parsed.flags.parent)
  }
}
