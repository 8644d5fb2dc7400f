import {Flags} from '@oclif/core'
import type {Context} from '#lib/cli/context/context.js'
import type {Row} from '#lib/cli/output/format.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {verb} from '#lib/cli/run/verb.js'
import {cell} from '#lib/cli/terminal/cell.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {rowFieldsFor} from '#lib/cli/verbs/everyday/file-rows.js'
import {type Section, sectionsOf} from '#lib/cli/verbs/everyday/list-places.js'
import {fromFlag} from '#lib/cli/verbs/everyday/path-arguments.js'
import {
  fileColumns,
  lookScopes,
  placeArgs,
  printRows,
  type RowsOptions,
  viewPlaces,
} from '#lib/cli/verbs/everyday/view-places.js'

export default verb({
  everyDay: 1,
  summary: 'List what is in folders.',
  description: [
    'PATH is a file or folder: a path such as /Reports or drive:Finance/2026, a link, or an ID. Without one it is the top of My Drive; drive: lists the shared drives, trash: what is in the trash, and shared: what others share with you. A file is listed itself.',
    'Names are in the order in which people count, so that q2 comes before q10. At a terminal the names of folders end with a slash. A pipe gets a row for each thing: path, media type, size, time of change and ID.',
  ].join('\n\n'),
  usage: 'ls [PATH...] [FLAGS]',
  examples: [
    ['List what is at the top of My Drive', 'ls'],
    ['List a folder, with owners and IDs', 'ls -l /Reports'],
    ['List all that lies below a folder, one path a line', 'ls -R /Reports | cut -f 1'],
    ['List the shared drives', 'ls drive:'],
    ['List a folder of a shared drive', 'ls drive:Finance/2026'],
  ],
  args: placeArgs,
  flags: {
    ...fromFlag,
    long: ranked(
      2,
      Flags.boolean({summary: 'Show owners, what is shared, and IDs too.', char: 'l'}),
    ),
    recursive: ranked(
      3,
      Flags.boolean({summary: 'List what is in the folders below, too.', char: 'R'}),
    ),
  },
  effect: 'reads',
  columns: fileColumns,
  acceptedScopes: lookScopes,
  async run(given, context, printer) {
    const {flags} = given
    const fields = rowFieldsFor({columns: context.options.columns, isLong: flags.long})
    const depth = flags.recursive ? Infinity : 1
    const how = {columns: fields.columns, name: flags.long ? 'file in full' : 'file'} as const
    await viewPlaces(given, context, printer, {fields, depth}, async seen => {
      const {files, sections} = sectionsOf(seen)
      if (printer.output.isForPeople) {
        await printSections(files, sections, {hasHeads: seen.length > 1, how}, context, printer)
      } else {
        await printRows([...files, ...sections.flatMap(({rows}) => rows)], how, context, printer)
      }
    })
  },
})

/** Files that were named, and then each folder below its name, where there is more than one. */
async function printSections(
  files: readonly Row[],
  sections: readonly Section[],
  {hasHeads, how}: {readonly hasHeads: boolean; readonly how: RowsOptions},
  context: Context,
  printer: Printer,
): Promise<void> {
  const isOne = sections.length === 1 && !hasHeads
  if (files.length > 0) await printRows(files, how, context, printer)
  for (const [index, {head, rows}] of sections.entries()) {
    const gap = index > 0 || files.length > 0 ? '\n' : ''
    if (!isOne) await printer.show(`${gap}${cell(head)}:\n`)
    await printRows(rows, how, context, printer)
  }
  if (isOne && sections[0]?.rows.length === 0) context.note('Nothing is there.')
}
