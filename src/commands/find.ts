import {Args, Flags} from '@oclif/core'
import type {Context} from '#lib/cli/context/context.js'
import type {FlagValues} from '#lib/cli/input/call-input.js'
import {findArgv} from '#lib/cli/input/find-argv.js'
import type {Row} from '#lib/cli/output/format.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {verb} from '#lib/cli/run/verb.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {count, sizeText} from '#lib/cli/terminal/units.js'
import {criteriaOf} from '#lib/cli/verbs/everyday/criteria.js'
import type {Criterion} from '#lib/cli/verbs/everyday/criterion.js'
import {byPath, rowFieldsFor} from '#lib/cli/verbs/everyday/file-rows.js'
import {
  CONTENT_FIELDS,
  duplicatesAmong,
  findBelow,
  type SearchScope,
  termsOf,
} from '#lib/cli/verbs/everyday/find.js'
import {fromFlag} from '#lib/cli/verbs/everyday/path-arguments.js'
import {isInTrash, openPlaces, type RemoteTarget} from '#lib/cli/verbs/everyday/places.js'
import {limitIn, orderOf, sortFlags} from '#lib/cli/verbs/everyday/sorting.js'
import {typeFlag} from '#lib/cli/verbs/everyday/type-criterion.js'
import {
  fileColumns,
  listScopes,
  nullPaths,
  placesOf,
  printRows,
  reportFailures,
} from '#lib/cli/verbs/everyday/view-places.js'
import {createRepetitions, type Repetitions} from '#lib/platform/key-index.js'
import {createSorter} from '#lib/platform/sorter.js'
import {firstItems} from '#lib/platform/values.js'
import {isBareWord} from '#lib/transfer/remote/remote-path.js'
import {hasWildcards} from '#lib/transfer/remote/title-globs.js'

export default verb({
  everyDay: 3,
  aliases: ['search', 'locate', 'grep --content'],
  summary: 'Find files by name, type, size, time, content or people.',
  description: [
    'PATH is a folder to search, with all its subfolders (default: My Drive without the trash), or drive: for all shared drives, trash: for the trash, shared: for files that others share with you. A WORD without a slash matches part of the name. All conditions must match.',
    'TIME is an age such as 12h, 7d, 3mo, 1y or "2w ago", or today, yesterday, or a date such as 2026-01-31. SIZE is in bytes; the suffixes K, M, G and T are powers of 1024.',
    'The service checks the conditions that it supports; drv checks the rest. In a pipe, each row has path, media type, size, modified date and ID.',
  ].join('\n\n'),
  usage: 'find [WORD...] [PATH...] [FLAGS]',
  examples: [
    ['Find files by part of their name', 'find q3'],
    [
      'Find large files that changed this week in a folder',
      'find /Reports --larger 10M --newer 7d',
    ],
    ['Find the ten largest files', 'find --sort size --limit 10'],
    ['Find files shared outside your domain', 'find --external example.com'],
    [
      'Move all PDF files in a folder to the trash',
      'find /Archive --type pdf --format ids | drv files trash -',
    ],
  ],
  args: {
    terms: Args.string({
      description:
        'Parts of names, and folders to search: paths, drive:, trash:, shared:, links or IDs; - reads them from standard input.',
      multiple: true,
      ignoreStdin: true,
    }),
  },
  flags: {
    ...fromFlag,
    name: ranked(
      1,
      Flags.string({
        summary:
          'Whole name matches a pattern such as "q*.pdf", ignoring case; repeat for alternatives.',
        helpValue: 'PATTERN',
        multiple: true,
        multipleNonGreedy: true,
      }),
    ),
    type: ranked(2, typeFlag('File type')),
    content: ranked(9, Flags.string({summary: 'Content contains this text.', helpValue: 'TEXT'})),
    larger: Flags.string({summary: 'Larger than this size, such as 10M.', helpValue: 'SIZE'}),
    smaller: Flags.string({summary: 'Smaller than this size.', helpValue: 'SIZE'}),
    'min-size': Flags.string({summary: 'At least this size.', helpValue: 'SIZE'}),
    'max-size': Flags.string({summary: 'At most this size.', helpValue: 'SIZE'}),
    'modified-since': ranked(
      3,
      Flags.string({
        summary: 'Changed since this time, such as 7d; also --newer, --after.',
        helpValue: 'TIME',
        aliases: ['newer', 'after', 'modified-after'],
      }),
    ),
    'modified-before': ranked(
      3,
      Flags.string({
        summary: 'Last changed before this time, such as 1y; also --older, --before.',
        helpValue: 'TIME',
        aliases: ['older', 'before'],
      }),
    ),
    'created-since': Flags.string({
      summary: 'Created since this time; also --created-after.',
      helpValue: 'TIME',
      aliases: ['created-after', 'created-newer'],
    }),
    'created-before': Flags.string({
      summary: 'Created before this time; also --created-older.',
      helpValue: 'TIME',
      aliases: ['created-older'],
    }),
    owner: Flags.string({
      summary: 'Owned by this person; use me for yourself.',
      helpValue: 'EMAIL',
    }),
    'modified-by': Flags.string({
      summary: 'Last changed by this person; use me for yourself.',
      helpValue: 'EMAIL',
    }),
    'shared-with': Flags.string({
      summary:
        'Shared with this person, with this domain or someone in it, or with anyone who has the link.',
      helpValue: 'EMAIL|@DOMAIN|anyone',
    }),
    'not-shared-with': Flags.string({
      summary: 'Not shared with this person, with this domain or anyone in it, or by link.',
      helpValue: 'EMAIL|@DOMAIN|anyone',
    }),
    external: Flags.string({
      summary: 'Shared with someone outside this domain, or by link.',
      helpValue: 'DOMAIN',
    }),
    starred: Flags.boolean({summary: 'Only starred files.'}),
    property: Flags.string({
      summary: 'Has this property; may be repeated.',
      helpValue: 'KEY=VALUE',
      multiple: true,
      multipleNonGreedy: true,
    }),
    duplicates: Flags.boolean({
      summary: 'Only files with the same content (MD5 and size) as another file; lists every copy.',
      exclusive: ['limit'],
    }),
    orphans: Flags.boolean({summary: 'Only your files that are in no folder you can see.'}),
    'all-drives': Flags.boolean({
      summary: 'Search My Drive, all shared drives and files that others share with you.',
    }),
    ...sortFlags,
  },
  ownArgv: findArgv,
  effect: 'reads',
  previewsReads: true,
  printing: nullPaths,
  columns: fileColumns,
  acceptedScopes: listScopes,
  async run(input, context, printer) {
    const {flags} = input
    const {words, paths} = wordsAndPaths(input.args.terms)
    const reach = reachOf(flags, paths)
    const places = await placesOf({...input, args: {path: paths}}, context)
    const criteria = await criteriaOf({...flags, words}, context.now())
    const order = orderOf(flags, byPath)
    const limit = limitIn(flags)
    if (await showsSearch(places, criteria, printer)) return
    const fields = rowFieldsFor({
      columns: context.options.columns,
      more: flags.duplicates ? CONTENT_FIELDS : [],
      hidden: order.extraFields,
    })
    const opened = await openPlaces(context, places, {foldersOnly: true, follows: 'to folders'})
    const client = await context.client()
    // Without an order, any `limit` files do.
    const readLimit = flags.sort === undefined && !flags.reverse ? limit : Infinity
    const rows = createSorter(order.compare)
    // One of the searched folders may be inside another, and the pages of a list that changes may overlap.
    const repetitions = createRepetitions()
    const onRow = (row: Row) => {
      repetitions.saw(String(row.id))
      rows.add(row)
    }
    let read = 0
    let shown = 0
    try {
      for (const one of opened) {
        if (one.kind !== 'folder') continue
        const {signal} = context
        const options = {criteria, fields, signal, reach, limit: readLimit, onRow}
        read += await findBelow(client, one.folder, options)
      }
      const sorted = distinct(rows.sorted(), repetitions)
      const groups = flags.duplicates ? duplicatesAmong([...sorted]) : undefined
      const counted = function* () {
        for (const row of firstItems(groups?.flat() ?? sorted, limit)) {
          shown += 1
          yield row
        }
      }
      if (groups && printer.output.isForPeople) {
        shown = groups.length
        await printGroups(groups, fields.columns, context, printer)
      } else {
        const how = {columns: fields.columns, name: 'found file'} as const
        await printRows(counted(), how, context, printer)
      }
    } finally {
      rows.close()
    }
    if (context.options.verbose) context.note(`(scanned ${count(read, 'file')})`)
    if (shown === 0) context.note(nothingText(flags.name))
    reportFailures(places, opened, context)
  },
})

/** Splits the arguments into parts of names and paths to search. */
function wordsAndPaths(input: unknown): {words: string[]; paths: string[] | undefined} {
  const all = [input ?? []].flat().map(String)
  const paths = all.filter(word => !isBareWord(word))
  return {words: all.filter(isBareWord), paths: paths.length > 0 ? paths : undefined}
}

/** Where to search. Throws `UsageError` if a path and a flag exclude each other. */
function reachOf(flags: FlagValues, paths: readonly string[] | undefined): SearchScope {
  const wide = ['all-drives', 'orphans'].filter(name => flags[name])
  // `find / --orphans` is accepted, although orphans are in no folder.
  const isTop = wide[0] === 'orphans' && paths?.every(path => path === '/')
  if (wide.length === 0) return 'place'
  if ((paths && !isTop) || flags.from !== undefined || wide.length > 1) {
    const other = wide[1] === undefined ? 'a PATH' : `--${wide[1]}`
    throw new UsageError(`--${wide[0]} and ${other} cannot be combined.`, 'Remove one of them.')
  }
  return wide[0] === 'orphans' ? 'orphans' : 'everywhere'
}

async function showsSearch(
  places: readonly RemoteTarget[],
  criteria: readonly Criterion[],
  printer: Printer,
) {
  const searches = places.map(place => {
    const list = place.of === 'shared' ? place.of : undefined
    return termsOf(criteria, {isTrash: isInTrash(place), list}).join(' and ')
  })
  return printer.preview('files.list', ...searches)
}

/** Prints duplicates group by group, under headings that have their number and size. */
async function printGroups(
  groups: ReadonlyArray<readonly Row[]>,
  columns: readonly string[],
  context: Context,
  printer: Printer,
): Promise<void> {
  for (const [index, rows] of groups.entries()) {
    const size = sizeText(Number(rows[0]?.fileSize ?? 0))
    await printer.show(`${index > 0 ? '\n' : ''}${rows.length} files of ${size} each:\n`)
    await printRows(rows, {columns, name: 'duplicate'}, context, printer)
  }
}

/** The rows without repetitions of an ID. */
function* distinct(rows: Iterable<Row>, {isAgain}: Repetitions): Generator<Row> {
  for (const row of rows) if (!isAgain(String(row.id))) yield row
}

function nothingText(names: readonly string[] = []): string {
  const whole = names.find(name => !hasWildcards(name))
  if (whole === undefined) return 'No files found.'
  return `No files found. --name matches the whole name; for a part of it, use --name '*${whole}*'.`
}
