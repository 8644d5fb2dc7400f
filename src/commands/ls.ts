import {Args, Flags} from '@oclif/core'
import {examplesOf} from '../lib/cli/command/operationhelp.js'
import {type Listed, listPlaces} from '../lib/cli/everyday/list.js'
import {LookCommand} from '../lib/cli/everyday/lookcommand.js'
import {placeIn} from '../lib/cli/everyday/place.js'
import {rowFieldsFor} from '../lib/cli/everyday/rows.js'
import {cell} from '../lib/cli/output/cell.js'

export default class Ls extends LookCommand {
  static override summary = 'List what is in folders.'
  static override description = [
    'PATH is a file or folder: a path such as /Reports or drive:Finance/2026, a link, or an ID. Without one it is the top of My Drive; drive: lists the shared drives, trash: what is in the trash, and shared: what others share with you. A file is listed itself.',
    'Names are in the order in which people count, so that q2 comes before q10. At a terminal the names of folders end with a slash. A pipe gets a row for each thing: path, media type, size, time of change and ID.',
  ].join('\n\n')
  static override usage = 'ls [PATH...] [FLAGS]'
  static override examples = examplesOf([
    ['What is at the top of My Drive', 'ls'],
    ['A folder, with owners and IDs', 'ls -l /Reports'],
    ['All that lies below a folder, one path a line', 'ls -R /Reports | cut -f 1'],
    ['The shared drives', 'ls drive:'],
  ])
  static override args = {
    path: Args.string({
      description:
        'Files and folders (path, link or ID), drive:, trash: or shared:. Several may be named, or - for the lines of standard input.',
      multiple: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    long: Flags.boolean({summary: 'Show owners, what is shared, and IDs too.', char: 'l'}),
    recursive: Flags.boolean({summary: 'List what is in the folders below, too.', char: 'R'}),
  }

  protected override async execute(): Promise<void> {
    const {args, flags} = await this.parse(Ls)
    const {context} = this
    const words = await this.words(args.path, '/')
    const places = words.map(placeIn)
    if (
      await this.plansOnly(
        places.map(({of, text}) => [of === 'drives' ? 'drives.list' : 'files.list', text]),
      )
    ) {
      return
    }
    const fields = rowFieldsFor({columns: context.options.columns, isLong: flags.long})
    const depth = flags.recursive ? Infinity : 1
    const listed = await listPlaces(context, places, {fields, depth})
    for (const {word, error} of listed.failed) this.failed(word, error)
    const how = {columns: fields.columns, name: flags.long ? 'file in full' : 'file'} as const
    if (this.output.isForPeople) await this.printSections(listed, words.length > 1, how)
    else await this.printRows([...listed.files, ...listed.sections.flatMap(({rows}) => rows)], how)
    this.checkFailures()
  }

  /** Files that were named, and then each folder below its name, where there is more than one. */
  private async printSections(
    {files, sections}: Listed,
    isSeveral: boolean,
    how: Parameters<LookCommand['printRows']>[1],
  ): Promise<void> {
    const hasHeads = isSeveral || sections.length > 1
    if (files.length > 0) await this.printRows(files, how)
    for (const [index, {head, rows}] of sections.entries()) {
      const gap = index > 0 || files.length > 0 ? '\n' : ''
      if (hasHeads) await this.show(`${gap}${cell(head)}:\n`)
      await this.printRows(rows, how)
    }
    if (!hasHeads && files.length + (sections[0]?.rows.length ?? 0) === 0) {
      this.context.note('Nothing is there.')
    }
  }
}
