import {setImmediate} from 'node:timers/promises'
import {Flags, type Interfaces} from '@oclif/core'
import {listField, type Operation, type OperationId} from '#lib/api/operations.js'
import {listedOf} from '#lib/cli/context/completion-file.js'
import type {Parsed} from '#lib/cli/input/call-input.js'
import {selectedColumns} from '#lib/cli/output/columns.js'
import type {ListText, Row} from '#lib/cli/output/format.js'
import {listFields, shownFields} from '#lib/cli/output/list-fields.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import type {CallInput, Client, Page} from '#lib/client/client.js'
import {recordsOf} from '#lib/client/pages.js'
import {inGroups} from '#lib/platform/values.js'
import {previewOf} from './plan.js'
import type {OperationOptions, Surroundings} from './verb-description.js'

/** How many records a list command writes; without any of both it is one page. */
interface Extent {
  readonly all: boolean
  readonly limit?: number
}

/** The most a service gives in one page, where the description sets no maximum (protocols.md, section 6). */
const PAGE_CAP = 1000

const extentFlags: Interfaces.FlagInput = {
  all: ranked(
    0,
    Flags.boolean({summary: 'Every page, not just one.', char: 'a', exclusive: ['limit']}),
  ),
  limit: ranked(
    1,
    Flags.string({
      summary: 'This many entries, from as many pages as it takes.',
      char: 'L',
      helpValue: 'N',
    }),
  ),
}

/**
 * What the command of an operation does that answers with a list. Pages are written as they arrive;
 * where more is there than was written, standard error says so.
 */
export function listOptions(described: Operation, options: OperationOptions): OperationOptions {
  const id = described.operationId
  const hasPages = described.parameters.pageToken !== undefined
  const flags = {...(hasPages ? extentFlags : {}), ...options.flags}
  const list = listField(described) ?? 'items'
  const size = ['maxResults', 'pageSize'].find(name => described.parameters[name])
  const most = Number((size && described.parameters[size]?.maximum) ?? PAGE_CAP)
  /** The file that the list is about, by its ID and the words of the line, one of which named it. */
  const fileOf = ({params: {fileId}}: CallInput, argv: readonly string[]) =>
    typeof fileId === 'string' ? [fileId, ...argv] : undefined

  /** Which records of all pages the flags choose, where they do. */
  const selectorFor = (parsed: Parsed, {context}: Surroundings) =>
    options.selects?.(parsed, context.now())
  const extentFor = (parsed: Parsed, surroundings: Surroundings): Extent => {
    const extent = extentOf(parsed)
    return selectorFor(parsed, surroundings) ? {...extent, all: extent.limit === undefined} : extent
  }
  /** The pages with the records that the flags choose. */
  const pagesOf = (
    client: Client,
    input: CallInput,
    parsed: Parsed,
    surroundings: Surroundings,
  ): AsyncIterable<Page> => {
    const pages = hasPages ? client.pages(id, input) : onePage(client, id, input)
    const isWanted = selectorFor(parsed, surroundings)
    return isWanted ? selected(pages, list, isWanted) : pages
  }

  /** All records that are wanted, with what the last page says besides. */
  async function gathered(
    input: CallInput,
    parsed: Parsed,
    surroundings: Surroundings,
  ): Promise<Row> {
    const client = await surroundings.context.client()
    const items: Row[] = []
    const {rest} = await copyPages(
      pagesOf(client, input, parsed, surroundings),
      {...extentFor(parsed, surroundings), list},
      {rows: () => ''},
      {
        prepare: async records => {
          items.push(...records)
          return []
        },
        print: async () => {},
      },
    )
    return {...rest, items}
  }

  async function print(
    input: CallInput,
    parsed: Parsed,
    surroundings: Surroundings,
  ): Promise<void> {
    const {context, printer, argv} = surroundings
    const client = await context.client()
    const pages = pagesOf(client, input, parsed, surroundings)
    const columns = selectedColumns(parsed.flags.fields && input.params.fields, 'list')
    const text = printer.output.list({...printer.layout(columns), list})
    const extent = extentFor(parsed, surroundings)
    const wanted = extent.all ? ahead(pages) : pages
    let written = 0
    let shown: readonly Row[] = []
    context.onInterrupt(() => ({
      words: `${written} ${written === 1 ? 'entry was' : 'entries were'} written, what comes behind was not`,
      hint: 'Run the same command again: it begins at the first entry.',
    }))
    const last = await copyPages(wanted, {...extent, list}, text, {
      prepare: records => {
        shown = records
        return printer.prepare(records)
      },
      print: async (piece, records) => {
        if (records > 0) context.signal.throwIfAborted()
        await printer.show(piece)
        written += records
      },
    })
    await printer.remember(listedOf(described.resource), shown, fileOf(input, argv))
    if (last.written === 0 && !last.isCut && printer.format === 'table') {
      context.note(`No ${thingsOf(described)}.`)
    }
    // Whoever named a limit knows that there may be more.
    if (last.isCut && parsed.flags.limit === undefined) {
      const token = last.rest.nextPageToken
      const next = typeof token === 'string' ? `, or --page-token ${token} for the next page` : ''
      context.note(`There are more results: use --all or --limit N${next}.`)
    }
    const start = last.rest.newStartPageToken
    if (typeof start === 'string') {
      context.note(`The changes to come: --page-token ${start}.`)
    }
  }

  /** The same with the size of a page; without a wish for fields only columns that are written are asked for. */
  async function request(
    standard: () => Promise<CallInput>,
    parsed: Parsed,
    surroundings: Surroundings,
  ): Promise<CallInput> {
    const {printer} = surroundings
    const isChosen = selectorFor(parsed, surroundings) !== undefined
    const {params, ...rest} = await standard()
    const {fields: wish} = params
    // What chooses among records may read any field of them.
    const isWhole = printer.isStructured || isChosen
    const shown = () => (isWhole ? undefined : shownFields(described, printer.output))
    const fields = typeof wish === 'string' ? listFields(described, wish) : (wish ?? shown())
    const {all, limit: wanted} = extentFor(parsed, surroundings)
    const limit = all || isChosen ? most : wanted
    return {
      ...rest,
      params: {
        ...(size && limit !== undefined && {[size]: String(Math.min(limit, most))}),
        ...params,
        ...(fields !== undefined && {fields}),
      },
    }
  }

  const route: OperationOptions['route'] = (input, parsed, surroundings) => {
    const given = options.route?.(input, parsed, surroundings)
    if (given) return given
    const call = {id, input}
    const whole = {print: () => print(input, parsed, surroundings)}
    const {all, limit} = extentFor(parsed, surroundings)
    if (!all && limit === undefined) return {call, ...whole}
    const preview = () => previewOf({call})
    return {work: () => gathered(input, parsed, surroundings), preview, ...whole}
  }

  return {
    ...options,
    flags,
    route,
    request(standard, parsed, surroundings) {
      const ofList = () => request(standard, parsed, surroundings)
      return options.request?.(ofList, parsed, surroundings) ?? ofList()
    },
  }
}

/** The pages with those of their records that are wanted. */
async function* selected(
  pages: AsyncIterable<Page>,
  list: string,
  isWanted: (record: Row) => boolean,
): AsyncGenerator<Page> {
  for await (const page of pages) {
    yield {...page, [list]: recordsOf({items: page[list]}).filter(isWanted)}
  }
}

/** Each page is asked for while the one before it is written: for whoever wants them all. */
async function* ahead(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
  const source = pages[Symbol.asyncIterator]()
  const fetch = () => {
    const page = source.next()
    // It is told to whoever waits for this page.
    page.catch(() => undefined)
    return page
  }
  for (let next = fetch(); ;) {
    const {done, value} = await next
    if (done) return
    next = fetch()
    yield value
  }
}

/** What a list has, in the plural: `files`, and of `listLabels` `labels`. */
function thingsOf({resource, verb}: Operation): string {
  return verb.replace(/^list/, '').toLowerCase() || resource
}

interface Copied {
  /** What the last page's record says beside its items. */
  readonly rest: Row
  /** How many records. */
  readonly written: number
  /** More is there than was written. */
  readonly isCut: boolean
}

/** Records that are written together, so that no page is in memory as text as well. */
const PIECE = 100

interface Writing {
  /** What is written of the records of a page. */
  prepare(records: readonly Row[]): Promise<readonly Row[]>
  /** Writes so many records as text. */
  print(text: string, records: number): Promise<void>
}

/**
 * Prints as many pages as are wanted, whose records are in the field `list`; the list is ended even when
 * a page fails to come.
 */
async function copyPages(
  pages: AsyncIterable<Page>,
  {all, limit, list}: Extent & {readonly list: string},
  {rows, end, pieceSize = PIECE}: ListText,
  {prepare, print}: Writing,
): Promise<Copied> {
  let left = limit ?? Infinity
  let rest: Row = {}
  let isCut = false
  let written = 0
  let hasBegun = false
  try {
    for await (const page of pages) {
      const {[list]: items, ...fields} = page
      const records = recordsOf({items})
      const wanted = records.slice(0, left)
      left -= wanted.length
      written += wanted.length
      const isWhole = wanted.length === records.length
      rest = isWhole ? fields : withoutNext(fields)
      isCut = !isWhole || Boolean(fields.nextPageToken)
      hasBegun = true
      const prepared = await prepare(wanted)
      for (const piece of inGroups(prepared, pieceSize)) {
        await print(await rows(piece), piece.length)
        // Else nothing that comes meanwhile, the next page or Ctrl-C, is heard before the page's end.
        await setImmediate()
      }
      if (left <= 0 || (!all && limit === undefined)) break
    }
  } finally {
    if (hasBegun && end) await print(await end(rest), 0)
  }
  return {rest, written, isCut}
}

/** Within a page there is no token to go on from: the next page would leave entries out. */
function withoutNext({nextPageToken: _, nextLink: __, ...fields}: Row): Row {
  return fields
}

async function* onePage(client: Client, id: OperationId, input: CallInput): AsyncGenerator<Page> {
  yield (await client.call(id, input)) ?? {}
}

function extentOf({flags}: Parsed): Extent {
  const all = Boolean(flags.all)
  if (flags.limit === undefined) return {all}
  const text = String(flags.limit)
  if (/^\d{1,9}$/.test(text) && Number(text) > 0) return {all, limit: Number(text)}
  throw new UsageError(`--limit must be a whole number above 0, not "${text}".`)
}
