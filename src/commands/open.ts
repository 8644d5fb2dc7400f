import {BaseCommand} from '#lib/cli/run/base-command.js'
import {checkOneReader} from '#lib/cli/input/stdin-use.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'
import {fromFlag, wordsOf} from '#lib/cli/verbs/everyday/path-arguments.js'
import {hasFrom, optionalArgs, withSeveral} from '#lib/cli/input/several.js'
import type {Row} from '#lib/cli/output/format.js'
import {fileArg, openInBrowser} from '#lib/cli/input/links.js'

export default class Open extends BaseCommand {
  static override effect = 'reads' as const
  static override summary = 'Open a file or folder in the browser.'
  static override description =
    'The browser is the one that BROWSER names, else the one of the system. `drv url` prints the address instead.'
  static override examples = examplesOf([
    ['Open a folder', 'open /Reports'],
    ['Open what was found', '$ drv find --name "q3*" --format ids | drv open -'],
    ['Open it with another browser', '$ BROWSER=firefox drv open /Reports'],
  ])
  static override args = withSeveral(fileArg, 'file_id')
  static override flags = fromFlag

  protected override columns() {
    return ['alternateLink']
  }

  protected override async execute(): Promise<void> {
    const given = await this.parse(this.reading())
    checkOneReader(given)
    const {context} = this
    const {from} = given.flags
    const words = await wordsOf(context, {words: given.args.file_id, from})
    if (await this.printer.preview('open in a browser', ...words)) return
    const opened: Row[] = []
    for (const word of words) {
      const alternateLink = await openInBrowser(context, word)
      context.note(`Opened ${alternateLink}`)
      opened.push({alternateLink})
    }
    if (!this.printer.isStructured) return
    if (opened.length === 1) await this.printer.record(opened[0]!)
    else await this.printer.records(opened)
  }

  /** What is read of the command line: with records to come nothing is needed there. */
  private reading() {
    const {args, flags, baseFlags} = Open
    return {args: hasFrom(this.argv) ? optionalArgs(args) : args, flags, baseFlags}
  }
}
