import {Flags} from '@oclif/core'
import {examplesOf} from '#lib/cli/run/operation-help.js'
import {listPlaces} from '#lib/cli/verbs/everyday/list.js'
import {fromFlag} from '#lib/cli/verbs/everyday/path-arguments.js'
import {LookCommand, placeArgs, type RowsOptions} from '#lib/cli/verbs/everyday/look-command.js'
import {rowFieldsFor} from '#lib/cli/verbs/everyday/file-rows.js'
import {type Section, sectionsOf} from '#lib/cli/verbs/everyday/sections.js'
import type {Row} from '#lib/cli/output/format.js'
import {cell} from '#lib/cli/terminal/cell.js'

export default class Ls extends LookCommand {
  static override effect = 'reads' as const
  static override summary = 'List what is in folders.'
  static override description = [
    'PATH is a file or folder: a path such as /Reports or drive:Finance/2026, a link, or an ID. Without one it is the top of My Drive; drive: lists the shared drives, trash: what is in the trash, and shared: what others share with you. A file is listed itself.',
    'Names are in the order in which people count, so that q2 comes before q10. At a terminal the names of folders end with a slash. A pipe gets a row for each thing: path, media type, size, time of change and ID.',
  ].join('\n\n')
  static override usage = 'ls [PATH...] [FLAGS]'
  static override examples = examplesOf([
    ['List what is at the top of My Drive', 'ls'],
    ['List a folder, with owners and IDs', 'ls -l /Reports'],
    ['List all that lies below a folder, one path a line', 'ls -R /Reports | cut -f 1'],
    ['List the shared drives', 'ls drive:'],
    ['List a folder of a shared drive', 'ls drive:Finance/2026'],
  ])
  static override args = placeArgs
  static override flags = {
    ...fromFlag,
    long: Flags.boolean({summary: 'Show owners, what is shared, and IDs too.', char: 'l'}),
    recursive: Flags.boolean({summary: 'List what is in the folders below, too.', char: 'R'}),
  }

  protected override async execute(): Promise<void> {
    const given = await this.parse(Ls)
    const {flags} = given
    const places = await this.places(given)
    if (await this.plansOnly(places)) return
    const fields = rowFieldsFor({columns: this.context.options.columns, isLong: flags.long})
    const depth = flags.recursive ? Infinity : 1
    const seen = await listPlaces(this.context, places, {fields, depth})
    const {files, sections} = sectionsOf(seen)
    const how = {columns: fields.columns, name: flags.long ? 'file in full' : 'file'} as const
    if (this.printer.output.isForPeople) {
      await this.printSections(files, sections, {hasHeads: places.length > 1, how})
    } else {
      await this.printRows([...files, ...sections.flatMap(({rows}) => rows)], how)
    }
    this.tellFailures(places, seen)
  }

  /** Files that were named, and then each folder below its name, where there is more than one. */
  private async printSections(
    files: readonly Row[],
    sections: readonly Section[],
    {hasHeads, how}: {readonly hasHeads: boolean; readonly how: RowsOptions},
  ): Promise<void> {
    const isOne = sections.length === 1 && !hasHeads
    if (files.length > 0) await this.printRows(files, how)
    for (const [index, {head, rows}] of sections.entries()) {
      const gap = index > 0 || files.length > 0 ? '\n' : ''
      if (!isOne) await this.printer.show(`${gap}${cell(head)}:\n`)
      await this.printRows(rows, how)
    }
    if (isOne && sections[0]?.rows.length === 0) this.context.note('Nothing is there.')
  }
}
