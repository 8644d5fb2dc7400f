import {Flags} from '@oclif/core'
import type {Context} from '#lib/cli/context/context.js'
import {noFollowFlag} from '#lib/cli/input/shared-flags.js'
import {PATH_COLUMN} from '#lib/cli/output/columns-flag.js'
import type {Row} from '#lib/cli/output/format.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {verb} from '#lib/cli/run/verb.js'
import {cell} from '#lib/cli/terminal/cell.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {rowFieldsFor} from '#lib/cli/verbs/everyday/file-rows.js'
import {namedFiles, type Section, sectionsOf} from '#lib/cli/verbs/everyday/list-places.js'
import {fromFlag} from '#lib/cli/verbs/everyday/path-arguments.js'
import {limitIn, orderOf, sortFlags} from '#lib/cli/verbs/everyday/sorting.js'
import {
  fileColumns,
  humanSizesFlag,
  listScopes,
  nullPaths,
  placeArgs,
  printRows,
  type RowsOptions,
  viewPlaces,
  withSizeTexts,
} from '#lib/cli/verbs/everyday/view-places.js'
import {firstItems} from '#lib/platform/values.js'

export default verb({
  everyDay: 1,
  aliases: ['list', 'dir', 'files ls', 'll -l', 'lsl -l', 'lsjson --json'],
  summary: 'List files and folders.',
  description: [
    'PATH is a file or folder (default: My Drive): a path such as /Reports or drive:Finance/2026, a link, or an ID. Pass "drive:" to list the shared drives, "trash:" to list the trash, or "shared:" to list the files that others share with you.',
    'Entries are sorted by name, with numbers in numeric order (q2 before q10); -t, -S and --sort change the order. At a terminal, folder names end with a slash. In a pipe, each row has path, media type, size, modified date and ID.',
  ].join('\n\n'),
  usage: 'ls [PATH...] [FLAGS]',
  examples: [
    ['List My Drive', 'ls'],
    ['List a folder, with owners and IDs', 'ls -l /Reports'],
    ['List all paths in a folder and its subfolders', 'ls -R /Reports | cut -f 1'],
    ['List the five most recently changed files', 'ls -t --limit 5 /Reports'],
    ['List a folder of a shared drive', 'ls drive:Finance/2026'],
  ],
  args: placeArgs,
  flags: {
    ...fromFlag,
    ...sortFlags,
    all: Flags.boolean({
      summary: 'Accepted for compatibility; no files are hidden.',
      char: 'a',
    }),
    'by-time': ranked(5, Flags.boolean({summary: 'Sort by time, newest first.', char: 't'})),
    'by-size': ranked(6, Flags.boolean({summary: 'Sort by size, largest first.', char: 'S'})),
    directory: ranked(
      9,
      Flags.boolean({summary: 'List folders themselves, not their contents.', char: 'd'}),
    ),
    names: ranked(
      10,
      Flags.boolean({
        summary: 'Print only names, one per line; in a pipe, paths.',
        char: '1' as 'a',
      }),
    ),
    'human-readable': {
      ...humanSizesFlag['human-readable'],
      summary: 'Print sizes such as 4.2 MiB in a pipe too, as in -lh (-h alone shows help).',
    },
    long: ranked(2, Flags.boolean({summary: 'Also show owners, sharing and IDs.', char: 'l'})),
    ...noFollowFlag(),
    recursive: ranked(3, Flags.boolean({summary: 'List subfolders recursively.', char: 'R'})),
  },
  effect: 'reads',
  previewsReads: true,
  printing: nullPaths,
  columns: fileColumns,
  acceptedScopes: listScopes,
  async run(input, context, printer) {
    const {flags} = input
    const sort = flags['by-size'] ? 'size' : flags['by-time'] ? 'modified' : flags.sort
    const isSorted = sort !== undefined || flags.reverse
    const {compare, extraFields} = orderOf({...flags, sort})
    const limit = limitIn(flags)
    const {columns} = context.options
    const fields = rowFieldsFor({columns, isLong: flags.long, hidden: extraFields})
    const follows = flags['no-follow'] || flags.directory ? undefined : 'to folders'
    const depth = flags.directory ? 0 : flags.recursive ? Infinity : 1
    const rowsOptions = {
      columns: flags.names ? [PATH_COLUMN] : fields.columns,
      name: flags.long ? 'file in full' : 'file',
      isNames: flags.names && !columns,
    } as const
    await viewPlaces(input, context, printer, {fields, depth, compare, follows}, async seen => {
      const files = namedFiles(seen)
      if (isSorted) files.sort(compare)
      if (printer.output.isForPeople) {
        const sections = [...sectionsOf(seen)]
        const hasHeads = sections.length > 1 || seen.length > 1
        const first = firstOf({files, sections}, limit)
        await printSections(first, {hasHeads, how: rowsOptions}, context, printer)
      } else {
        const all = firstItems(rowsIn(files, sectionsOf(seen)), limit)
        const rows = flags['human-readable'] ? withSizeTexts(all, 'fileSize', printer) : all
        await printRows(rows, rowsOptions, context, printer)
      }
    })
  },
})

interface Found {
  readonly files: readonly Row[]
  readonly sections: readonly Section[]
}

/** The rows of the files and sections, as they are read. */
function* rowsIn(files: readonly Row[], sections: Iterable<Section>): Generator<Row> {
  yield* files
  for (const {rows} of sections) yield* rows
}

/** The first `limit` rows, and the sections that contain any of them. */
function firstOf({files, sections}: Found, limit: number): Found {
  if (limit === Infinity) return {files, sections}
  let left = limit - files.length
  const first = sections.map(({head, rows}) => {
    const some = rows.slice(0, Math.max(left, 0))
    left -= some.length
    return {head, rows: some}
  })
  const isShown = ({rows}: Section, index: number) =>
    rows.length > 0 || sections[index]!.rows.length === 0
  return {files: files.slice(0, limit), sections: first.filter(isShown)}
}

/** Prints the files, then the contents of each folder; under a heading if there are several folders. */
async function printSections(
  {files, sections}: Found,
  {hasHeads, how: rowsOptions}: {readonly hasHeads: boolean; readonly how: RowsOptions},
  context: Context,
  printer: Printer,
): Promise<void> {
  const isOne = sections.length === 1 && !hasHeads
  if (files.length > 0) await printRows(files, rowsOptions, context, printer)
  for (const [index, {head, rows}] of sections.entries()) {
    const gap = index > 0 || files.length > 0 ? '\n' : ''
    if (!isOne) await printer.show(`${gap}${cell(head)}:\n`)
    await printRows(rows, rowsOptions, context, printer)
  }
  if (isOne && sections[0]?.rows.length === 0) context.note('The folder is empty.')
}
