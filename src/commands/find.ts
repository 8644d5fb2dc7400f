import {Args, Flags} from '@oclif/core'
import type {Context} from '#lib/cli/context/context.js'
import type {Values} from '#lib/cli/input/call-input.js'
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
  type Findings,
  type Reach,
  termsOf,
} from '#lib/cli/verbs/everyday/find.js'
import {fromFlag} from '#lib/cli/verbs/everyday/path-arguments.js'
import {isInTrash, openPlaces, type Place} from '#lib/cli/verbs/everyday/places.js'
import {limitIn, orderOf, sortFlags} from '#lib/cli/verbs/everyday/sorting.js'
import {
  fileColumns,
  lookScopes,
  nullPaths,
  placesOf,
  printRows,
  reportFailures,
} from '#lib/cli/verbs/everyday/view-places.js'
import {isBareWord} from '#lib/transfer/remote/remote-path.js'
import {hasWildcards} from '#lib/transfer/remote/title-globs.js'

export default verb({
  everyDay: 3,
  aliases: ['search', 'locate', 'grep --content'],
  summary: 'Find files by name, type, size, time, content or people.',
  description: [
    'Without a PATH it searches My Drive, but not the trash. PATH is a folder to search, with all below it; drive: stands for all shared drives, trash: for the trash, shared: for what others share with you. A WORD without a slash is a part of the name. All conditions must match.',
    'Times are ages such as 12h, 7d, 3mo, 1y or "2w ago", or today, yesterday, or a date such as 2026-01-31. Sizes are bytes, with K, M, G and T of 1024 each.',
    'The service runs the conditions that it supports; drv checks the rest, and standard error says how many records it read for that. A pipe gets a row for each entry: path, media type, size, time of change and ID.',
  ].join('\n\n'),
  usage: 'find [WORD...] [PATH...] [FLAGS]',
  examples: [
    ['Find files by a part of their names', 'find q3'],
    [
      'Find large files below a folder that changed this week',
      'find /Reports --larger 10M --newer 7d',
    ],
    ['Find the ten largest files', 'find --sort size --limit 10'],
    ['Find files shared outside your domain', 'find --external example.com'],
    [
      'Put all PDF files of a folder into the trash',
      'find /Archive --type pdf --format ids | drv files trash -',
    ],
  ],
  args: {
    path: Args.string({
      description:
        'Parts of names, and folders to search (path, link or ID), drive:, trash: or shared:. Several may be named, or - for the lines of standard input.',
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
          'Whole names that match a glob such as "q*.pdf", regardless of case; may be repeated.',
        helpValue: 'GLOB',
        multiple: true,
        multipleNonGreedy: true,
      }),
    ),
    type: ranked(
      2,
      Flags.string({
        summary:
          'folder, image, audio, video, doc, sheet, slides, text, archive; an ending such as pdf; or a media type.',
        helpValue: 'TYPE',
      }),
    ),
    content: ranked(9, Flags.string({summary: 'Text in the content.', helpValue: 'TEXT'})),
    larger: Flags.string({summary: 'More bytes than that.', helpValue: '10M'}),
    smaller: Flags.string({summary: 'Fewer bytes than that.', helpValue: '10M'}),
    'min-size': Flags.string({summary: 'At least that many bytes.', helpValue: '10M'}),
    'max-size': Flags.string({summary: 'At most that many bytes.', helpValue: '10M'}),
    'modified-since': ranked(
      3,
      Flags.string({
        summary: 'Changed since then; also --newer, --after.',
        helpValue: '7d',
        aliases: ['newer', 'after', 'modified-after'],
      }),
    ),
    'modified-before': ranked(
      3,
      Flags.string({
        summary: 'Not changed since then; also --older, --before.',
        helpValue: '1y',
        aliases: ['older', 'before'],
      }),
    ),
    'created-since': Flags.string({
      summary: 'Created since then; also --created-after.',
      helpValue: '7d',
      aliases: ['created-after', 'created-newer'],
    }),
    'created-before': Flags.string({
      summary: 'Created before then; also --created-older.',
      helpValue: '1y',
      aliases: ['created-older'],
    }),
    owner: Flags.string({summary: 'Owned by this person; me is yourself.', helpValue: 'EMAIL'}),
    'modified-by': Flags.string({
      summary: 'Last changed by this person, or me.',
      helpValue: 'EMAIL',
    }),
    'shared-with': Flags.string({
      summary: 'Shared with this person, anybody of this domain, or anyone with the link.',
      helpValue: 'EMAIL|@DOMAIN|anyone',
    }),
    'not-shared-with': Flags.string({
      summary: 'Not shared with them.',
      helpValue: 'EMAIL|@DOMAIN|anyone',
    }),
    external: Flags.string({
      summary: 'Shared with anybody outside this domain, or with anyone.',
      helpValue: 'DOMAIN',
    }),
    starred: Flags.boolean({summary: 'Only starred files.'}),
    property: Flags.string({
      summary: 'Files with this property; may be repeated.',
      helpValue: 'KEY=VALUE',
      multiple: true,
      multipleNonGreedy: true,
    }),
    duplicates: Flags.boolean({
      summary:
        'Only files whose content is there more than once, by MD5 and size: all of them, also the one to keep.',
      exclusive: ['limit'],
    }),
    orphans: Flags.boolean({summary: 'Only your files that are in no folder.'}),
    'all-drives': Flags.boolean({
      summary: 'Search My Drive, all shared drives and what others share with you.',
    }),
    ...sortFlags,
  },
  ownArgv: findArgv,
  effect: 'reads',
  printing: nullPaths,
  columns: fileColumns,
  acceptedScopes: lookScopes,
  async run(given, context, printer) {
    const {flags} = given
    const {words, paths} = wordsAndPaths(given.args.path)
    const reach = reachOf(flags, paths)
    const places = await placesOf({...given, args: {path: paths}}, context)
    const criteria = await criteriaOf({...flags, words}, context.now())
    const order = orderOf(flags, byPath)
    const limit = limitIn(flags)
    if (await showsSearch(places, criteria, printer)) return
    const fields = rowFieldsFor({
      columns: context.options.columns,
      more: flags.duplicates ? CONTENT_FIELDS : [],
      hidden: order.asks,
    })
    const opened = await openPlaces(context, places, {foldersOnly: true, follows: 'to folders'})
    const client = await context.client()
    const found: Findings[] = []
    // Whichever come first are enough, where nothing says which.
    const enough = flags.sort === undefined && !flags.reverse ? limit : Infinity
    for (const one of opened) {
      if (one.kind !== 'folder') continue
      const {signal} = context
      const wanted = {criteria, fields, signal, reach, limit: enough}
      found.push(await findBelow(client, one.folder, wanted))
    }
    const rows = distinct(found.flatMap(one => one.rows)).sort(order.compare)
    const read = found.reduce((sum, one) => sum + one.read, 0)
    const groups = flags.duplicates ? duplicatesAmong(rows) : [rows.slice(0, limit)]
    await printGroups(groups, fields.columns, flags.duplicates, context, printer)
    const shown = groups.flat().length
    if (context.options.verbose) context.note(`(scanned ${count(read, 'file')})`)
    if (shown === 0) context.note(nothingText(flags.name))
    reportFailures(places, opened, context)
  },
})

/** Parts of names, and paths to search below. */
function wordsAndPaths(given: unknown): {words: string[]; paths: string[] | undefined} {
  const all = [given ?? []].flat().map(String)
  const paths = all.filter(word => !isBareWord(word))
  return {words: all.filter(isBareWord), paths: paths.length > 0 ? paths : undefined}
}

/** Throws `UsageError` where a path and a flag exclude each other. */
function reachOf(flags: Values, paths: readonly string[] | undefined): Reach {
  const wide = ['all-drives', 'orphans'].filter(name => flags[name])
  // All that is yours may be named as the top, in which orphans are not.
  const isTop = wide[0] === 'orphans' && paths?.every(path => path === '/')
  if (wide.length === 0) return 'place'
  if ((paths && !isTop) || flags.from !== undefined || wide.length > 1) {
    const other = wide[1] === undefined ? 'a PATH' : `--${wide[1]}`
    throw new UsageError(`--${wide[0]} and ${other} exclude each other.`, 'Leave out one of them.')
  }
  return wide[0] === 'orphans' ? 'orphans' : 'everywhere'
}

async function showsSearch(
  places: readonly Place[],
  criteria: readonly Criterion[],
  printer: Printer,
) {
  const searches = places.map(place => {
    const list = place.of === 'shared' ? place.of : undefined
    return termsOf(criteria, {isTrash: isInTrash(place), list}).join(' and ')
  })
  return printer.preview('files.list', ...searches)
}

/** Files of the same content below each other, at a terminal with a line above that tells how many. */
async function printGroups(
  groups: ReadonlyArray<readonly Row[]>,
  columns: readonly string[],
  isDuplicates: boolean,
  context: Context,
  printer: Printer,
): Promise<void> {
  if (!isDuplicates || !printer.output.isForPeople) {
    return printRows(groups.flat(), {columns, name: 'found file'}, context, printer)
  }
  for (const [index, rows] of groups.entries()) {
    const size = sizeText(Number(rows[0]?.fileSize ?? 0))
    await printer.show(`${index > 0 ? '\n' : ''}${rows.length} times ${size}:\n`)
    await printRows(rows, {columns, name: 'duplicate'}, context, printer)
  }
}

/** Of several folders one may lie in another. */
function distinct(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map(row => [row.id, row])).values()]
}

function nothingText(names: readonly string[] = []): string {
  const whole = names.find(name => !hasWildcards(name))
  if (whole === undefined) return 'Nothing was found.'
  return `Nothing was found. --name is a whole name: for a part of it write --name '*${whole}*'.`
}
