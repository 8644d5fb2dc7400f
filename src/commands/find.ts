import {Flags} from '@oclif/core'
import type {Context} from '#lib/cli/context/context.js'
import type {Row} from '#lib/cli/output/format.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {verb} from '#lib/cli/run/verb.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {count, sizeText} from '#lib/cli/terminal/units.js'
import {criteriaOf, type Criterion, hasWildcards} from '#lib/cli/verbs/everyday/criteria.js'
import {byPath, rowFieldsFor} from '#lib/cli/verbs/everyday/file-rows.js'
import {
  CONTENT_FIELDS,
  duplicatesAmong,
  findBelow,
  type Findings,
  termsOf,
} from '#lib/cli/verbs/everyday/find.js'
import {fromFlag} from '#lib/cli/verbs/everyday/path-arguments.js'
import {isInTrash, openPlaces, type Place} from '#lib/cli/verbs/everyday/places.js'
import {
  fileColumns,
  lookScopes,
  placeArgs,
  placesOf,
  printRows,
  reportFailures,
} from '#lib/cli/verbs/everyday/view-places.js'

export default verb({
  everyDay: 3,
  summary: 'Find files by name, type, size, time or people.',
  description: [
    'PATH is a folder, and what lies below it is looked at; without one all of My Drive, but never the trash. What is given must all be so.',
    'The service searches for what it can say; the rest is looked at here, and standard error tells how many records were read for that. A pipe gets a row for each thing: path, media type, size, time of change and ID.',
  ].join('\n\n'),
  usage: 'find [PATH...] [FLAGS]',
  examples: [
    ['Find files by a part of their names', "find --name '*q3*'"],
    [
      'Find large files below a folder that changed this week',
      'find /Reports --larger 10M --modified-since 7d',
    ],
    ['Find what everybody with the link can read', 'find --shared-with anyone'],
    [
      'Put all PDF files of a folder into the trash',
      'find /Archive --type pdf --format ids | drv files trash -',
    ],
  ],
  args: placeArgs,
  flags: {
    ...fromFlag,
    name: ranked(
      8,
      Flags.string({
        summary: 'Whole names that fit a glob, such as "q*.pdf"; capitals do not count.',
        helpValue: 'GLOB',
      }),
    ),
    type: ranked(
      10,
      Flags.string({
        summary:
          'folder, image, audio, video, doc, sheet, slides, text, archive; an ending such as pdf; or a media type.',
        helpValue: 'TYPE',
      }),
    ),
    larger: Flags.string({
      summary: 'More bytes than that; K, M, G and T are 1024 each.',
      helpValue: '10M',
    }),
    smaller: Flags.string({summary: 'Fewer bytes than that.', helpValue: '10M'}),
    'modified-since': Flags.string({
      summary:
        'Changed in so many minutes, hours, days or weeks (30m, 12h, 7d, 2w), or since a date.',
      helpValue: '7d',
    }),
    owner: Flags.string({summary: 'Owned by somebody; me is yourself.', helpValue: 'EMAIL'}),
    'shared-with': Flags.string({
      summary: 'Open to somebody who is not its owner, or to anyone.',
      helpValue: 'EMAIL|anyone',
    }),
    duplicates: Flags.boolean({
      summary:
        'Only files whose content is there more than once, by MD5 and size: all of them, also the one to keep.',
    }),
  },
  effect: 'reads',
  columns: fileColumns,
  acceptedScopes: lookScopes,
  async run(given, context, printer) {
    const {flags} = given
    const places = await placesOf(given, context)
    refuseLists(places)
    const criteria = await criteriaOf(flags, context.now())
    if (await showsSearch(places, criteria, printer)) return
    const fields = rowFieldsFor({
      columns: context.options.columns,
      more: flags.duplicates ? CONTENT_FIELDS : [],
    })
    const opened = await openPlaces(context, places, {foldersOnly: true})
    const client = await context.client()
    const found: Findings[] = []
    for (const one of opened) {
      if (one.kind !== 'folder') continue
      found.push(await findBelow(client, one.folder, {criteria, fields, signal: context.signal}))
    }
    const rows = distinct(found.flatMap(one => one.rows)).sort(byPath)
    const read = found.reduce((sum, one) => sum + one.read, 0)
    const groups = flags.duplicates ? duplicatesAmong(rows) : [rows]
    await printGroups(groups, fields.columns, flags.duplicates, context, printer)
    const shown = groups.flat().length
    if (read > shown) context.note(`${count(read, 'record')} read to find ${shown}.`)
    if (shown === 0) context.note(nothingText(flags.name))
    reportFailures(places, opened, context)
  },
})

async function showsSearch(
  places: readonly Place[],
  criteria: readonly Criterion[],
  printer: Printer,
) {
  const searches = places.map(place => termsOf(criteria, isInTrash(place)).join(' and '))
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

/** Throws `UsageError` for lists that are no folders. */
function refuseLists(places: readonly Place[]): void {
  const list = places.find(({of}) => of !== 'top' && of !== 'path')
  if (!list) return
  throw new UsageError(
    `${list.text} is no folder to look into.`,
    list.of === 'drives'
      ? 'Name a shared drive: drive:NAME.'
      : `\`drv ls -R ${list.of}:\` lists all of it.`,
  )
}

function nothingText(name: string | undefined): string {
  if (name === undefined || hasWildcards(name)) return 'Nothing was found.'
  return `Nothing was found. --name is a whole name: for a part of it write --name '*${name}*'.`
}
