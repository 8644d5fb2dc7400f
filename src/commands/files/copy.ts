import {parentFlag, withParent} from '#lib/cli/input/parent-flag.js'
import type {Parsed} from '#lib/cli/input/call-input.js'
import {operationCommand} from '#lib/cli/run/operation-command.js'

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
