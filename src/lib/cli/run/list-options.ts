import {setImmediate} from 'node:timers/promises'
import {Flags, type Interfaces} from '@oclif/core'
import {listField, type Operation, type OperationId} from '#lib/api/operations.js'
import {shownListOf} from '#lib/cli/context/completion-file.js'
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
import type {OperationOptions, RunInputs} from './verb-description.js'

/** The number of records to print; one page if neither is set. */
interface Extent {
  readonly all: boolean
  readonly limit?: number
}

/** The maximum page size if the description sets none (protocols.md, section 6). */
const PAGE_CAP = 1000

const extentFlags: Interfaces.FlagInput = {
  all: ranked(
    0,
    Flags.boolean({
      summary: 'List all pages (default: one page).',
      char: 'a',
      exclusive: ['limit'],
    }),
  ),
  limit: ranked(
    1,
    Flags.string({
      summary: 'List at most N entries, from several pages if needed.',
      char: 'L',
      helpValue: 'N',
    }),
  ),
}

/**
 * The options of an operation that returns a list. Prints pages as they arrive; a notice reports if there
 * are more results.
 */
export function listOptions(described: Operation, options: OperationOptions): OperationOptions {
  const id = described.operationId
  const hasPages = described.parameters.pageToken !== undefined
  const flags = {...(hasPages ? extentFlags : {}), ...options.flags}
  const list = listField(described) ?? 'items'
  const size = ['maxResults', 'pageSize'].find(name => described.parameters[name])
  const most = Number((size && described.parameters[size]?.maximum) ?? PAGE_CAP)
  /** The file of the list: its ID and argv, which contains its name. */
  const fileOf = ({params: {fileId}}: CallInput, argv: readonly string[]) =>
    typeof fileId === 'string' ? [fileId, ...argv] : undefined

  /** The filter that the flags set; `undefined` without one. */
  const selectorFor = (parsed: Parsed, {context}: RunInputs) =>
    options.selects?.(parsed, context.now())
  const extentFor = (parsed: Parsed, surroundings: RunInputs): Extent => {
    const extent = extentOf(parsed)
    return selectorFor(parsed, surroundings) ? {...extent, all: extent.limit === undefined} : extent
  }
  /** The pages, filtered by the flags. */
  const pagesOf = (
    client: Client,
    input: CallInput,
    parsed: Parsed,
    surroundings: RunInputs,
  ): AsyncIterable<Page> => {
    const pages = hasPages ? client.pages(id, input) : onePage(client, id, input)
    const isWanted = selectorFor(parsed, surroundings)
    return isWanted ? selected(pages, list, isWanted) : pages
  }

  /** All requested records, with the other fields of the last page. */
  async function gathered(input: CallInput, parsed: Parsed, surroundings: RunInputs): Promise<Row> {
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

  async function print(input: CallInput, parsed: Parsed, surroundings: RunInputs): Promise<void> {
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
      words: `Printed ${written} ${written === 1 ? 'entry' : 'entries'} of an incomplete list`,
      hint: 'Run the same command again to list all entries from the start.',
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
    await printer.remember(shownListOf(described.resource), shown, fileOf(input, argv))
    if (last.written === 0 && !last.isCut && printer.format === 'table') {
      context.note(`No ${thingsOf(described)}.`)
    }
    // With --limit, more results are expected.
    if (last.isCut && parsed.flags.limit === undefined) {
      const token = last.rest.nextPageToken
      const next = typeof token === 'string' ? `, or --page-token ${token} for the next page` : ''
      context.note(`There are more results. Use --all or --limit N${next}.`)
    }
    const start = last.rest.newStartPageToken
    if (typeof start === 'string') {
      context.note(`For later changes, use --page-token ${start}.`)
    }
  }

  /** Adds the page size to the request, and by default requests only the printed fields. */
  async function request(
    standard: () => Promise<CallInput>,
    parsed: Parsed,
    surroundings: RunInputs,
  ): Promise<CallInput> {
    const {printer} = surroundings
    const isChosen = selectorFor(parsed, surroundings) !== undefined
    const {params, ...rest} = await standard()
    const {fields: wish} = params
    // A filter can read any field.
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

/** Filters the records of pages. */
async function* selected(
  pages: AsyncIterable<Page>,
  list: string,
  isWanted: (record: Row) => boolean,
): AsyncGenerator<Page> {
  for await (const page of pages) {
    yield {...page, [list]: recordsOf({items: page[list]}).filter(isWanted)}
  }
}

/** Requests each page while the previous one is printed. */
async function* ahead(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
  const source = pages[Symbol.asyncIterator]()
  const fetch = () => {
    const page = source.next()
    // The awaiting caller gets the error.
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

/** The plural noun of a list: `files`; `labels` for `listLabels`. */
function thingsOf({resource, verb}: Operation): string {
  return verb.replace(/^list/, '').toLowerCase() || resource
}

interface Copied {
  /** The other fields of the last page. */
  readonly rest: Row
  /** The number of records. */
  readonly written: number
  /** There are more records. */
  readonly isCut: boolean
}

/** Records printed at once, so that memory never holds a whole page as text. */
const PIECE = 100

interface Writing {
  /** The records of a page as printed. */
  prepare(records: readonly Row[]): Promise<readonly Row[]>
  /** Prints the text of `records` records. */
  print(text: string, records: number): Promise<void>
}

/** Prints pages whose records are in the field `list`. Completes the output even if a page fails. */
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
        // Let pending events run, such as the next page or Ctrl-C.
        await setImmediate()
      }
      if (left <= 0 || (!all && limit === undefined)) break
    }
  } finally {
    if (hasBegun && end) await print(await end(rest), 0)
  }
  return {rest, written, isCut}
}

/** Removes the page token of a partly printed page; continuing from it would skip entries. */
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
  throw new UsageError(`Invalid --limit: must be a positive integer, not "${text}".`)
}
