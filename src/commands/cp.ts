import type {Parsed} from '#lib/cli/input/call-input.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'
import {copySteps} from '#lib/cli/verbs/everyday/copy-move.js'
import {recursionFlags} from '#lib/cli/verbs/everyday/path-arguments.js'
import {stepsCommand} from '#lib/cli/verbs/everyday/steps-command.js'
import {planTransfer, transferArgs, transferFlags} from '#lib/cli/verbs/everyday/target.js'

const Steps = stepsCommand('files.copy', {name: 'cp'})

export default class Cp extends Steps {
  static override summary = 'Copy files and folders from one place of the service to another.'
  static override description = [
    'SOURCE is a path, a link or an ID. DEST is a folder that is there, or a new name for the one SOURCE. A folder is put into DEST under its own name; with a slash at its end, what is in it. It is copied file by file, into the folder of its name where there is one.',
    'Never over another file unasked: see --if-exists. What is replaced goes into the trash. From and to this machine `drv push` and `drv pull` copy.',
  ].join('\n\n')
  static override usage = 'cp SOURCE... DEST [FLAGS]'
  static override examples = examplesOf([
    ['Copy a file into a folder', 'cp /Reports/q3.pdf /Archive'],
    ['Copy it under another name', 'cp /Reports/q3.pdf /Reports/q3-draft.pdf'],
    ['Copy what is in a folder', 'cp /Reports/2026/ /Archive'],
  ])
  static override args = transferArgs
  static override flags = {...transferFlags, ...recursionFlags}

  protected override async plan(given: Parsed) {
    const {signal} = this.context
    return planTransfer(
      this.context,
      given,
      () => undefined,
      (client, sources, placing) => copySteps(client, sources, placing, signal),
    )
  }
}
