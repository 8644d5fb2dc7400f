import {lstat, readdir} from 'node:fs/promises'
import {join} from 'node:path'
import type {OperationId} from '#lib/api/operations.js'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import {sizeText} from '#lib/cli/terminal/units.js'
import {BATCH_LIMIT, type BatchCall, type Client, type Page} from '#lib/client/client.js'
import {ServiceError} from '#lib/client/errors.js'
import {recordsOf} from '#lib/client/pages.js'
import {printable} from '#lib/platform/sanitize.js'
import {inGroups} from '#lib/platform/values.js'
import {searchParameters} from '#lib/transfer/remote/records.js'

/** The items that will be destroyed. */
export interface Impact {
  /** Some of their names. */
  readonly names: readonly string[]
  readonly count: number
  /** The number of folders among them, if known. */
  readonly folders?: number
  /** The count is incomplete. */
  readonly isMore?: boolean
  /** The bytes of the counted items, as far as known. */
  readonly bytes?: number
}

/** Counting stops here. */
const MOST = 1000

/** The maximum number of names shown. */
const NAMES = 5

/** `3 items (4.2 MiB): a.txt, b.txt, c.txt`, `more than 1,000 items: a.txt, b.txt, …` */
export function impactText(
  {names, count, isMore = false, bytes = 0}: Impact,
  noun = 'item',
): string {
  const size = bytes > 0 ? ` (${isMore ? 'at least ' : ''}${sizeText(bytes)})` : ''
  const shown = names.slice(0, NAMES).map(name => printable(name, 60))
  const rest = isMore || count > shown.length ? ['…'] : []
  const list = shown.length > 0 ? `: ${[...shown, ...rest].join(', ')}` : ''
  return `${countText(count, isMore, noun)}${size}${list}`
}

function countText(number: number, isMore: boolean, noun: string): string {
  const isBeyond = number > MOST || (isMore && number === MOST)
  if (isBeyond) return `more than ${MOST.toLocaleString('en')} ${noun}s`
  if (isMore) return `at least ${number} ${noun}s`
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`
}

/** The maximum number of requests. */
const REQUESTS = 12

/** Up to this number, items are requested one by one; more in batches. */
const ONE_BY_ONE = 5

/** The number of folders listed by one request. */
const FOLDERS = 20

type Params = BatchCall['input']['params']

export type Inspector = ReturnType<typeof createInspector>

/** Inspects items of the service with at most 12 requests in total. */
export function createInspector(client: Client) {
  let left = REQUESTS

  /** Adds up pages until the limits, and returns the IDs of folders. */
  async function countInto(impact: Counted, params: Params) {
    const folders: string[] = []
    for await (const page of client.pages('files.list', {params})) {
      left -= 1
      for (const record of recordsOf(page)) {
        impact.count += 1
        impact.bytes += sizeOf(record)
        if (impact.names.length < ONE_BY_ONE) impact.names.push(recordName(record))
        if (record.mimeType !== FOLDER_TYPE) continue
        impact.folders += 1
        folders.push(String(record.id))
      }
      if (page.nextPageToken === undefined) break
      if (left > 0 && impact.count <= MOST) continue
      impact.isMore = true
      break
    }
    return folders
  }

  return {
    /** The record of each item, in order; `undefined` if unknown. Throws like the call for a single item. */
    async records(id: OperationId, all: readonly Params[]): Promise<Array<Page | undefined>> {
      const [first, ...rest] = all.map(params => ({id, input: {params}}))
      if (!first) return []
      const known = (call: BatchCall) => {
        left -= 1
        return client.call(call.id, call.input).catch((error: unknown) => {
          // The change itself reports which of many items is missing.
          if (rest.length > 0 && error instanceof ServiceError && error.status === 404)
            return undefined
          throw error
        })
      }
      // The first goes alone, to test the token: a batch of rejected requests locks the user out.
      const found = [await known(first)]
      if (all.length <= ONE_BY_ONE) return [...found, ...(await Promise.all(rest.map(known)))]
      for (const group of inGroups(rest, BATCH_LIMIT)) {
        const outcomes = left > 0 ? await client.batch(group) : undefined
        left -= 1
        found.push(
          ...group.map((_, index) => {
            const outcome = outcomes?.[index]
            return outcome && 'record' in outcome ? outcome.record : undefined
          }),
        )
      }
      return found
    },
    /** The items of a list. */
    async list(params: Params): Promise<Impact> {
      const impact = counted()
      await countInto(impact, {maxResults: '1000', fields: FIELDS, ...params})
      return impact
    },
    /** The items in folders and their subfolders, including trashed ones. */
    async inside(folderIds: readonly string[]): Promise<Impact> {
      const impact = counted()
      let folders = [...folderIds]
      while (folders.length > 0) {
        if (left <= 0 || impact.count > MOST) return {...impact, isMore: true}
        const [now, later] = [folders.slice(0, FOLDERS), folders.slice(FOLDERS)]
        const params = searchParameters({folderIds: now, isTrashToo: true})
        folders = [...later, ...(await countInto(impact, {...params, fields: FIELDS}))]
      }
      return impact
    },
  }
}

const FIELDS = 'nextPageToken,items(id,title,mimeType,fileSize)'

interface Counted {
  names: string[]
  count: number
  folders: number
  isMore: boolean
  bytes: number
}

const counted = (): Counted => ({names: [], count: 0, folders: 0, isMore: false, bytes: 0})

/** The name of a record on one line: its title, name or ID. */
export function recordName({title, name, id}: Page): string {
  const text = [title, name, id].find(text => typeof text === 'string' && text !== '')
  return printable(text as string)
}

/** The size of a record, in bytes; 0 if unknown. */
export function sizeOf(record: Page | undefined): number {
  return Number(record?.fileSize ?? 0) || 0
}

/** The items at paths below a local folder, including subfolders. */
export async function localImpact(root: string, paths: readonly string[]): Promise<Impact> {
  let count = 0
  let bytes = 0
  const left = [...paths]
  for (let path = left.shift(); path !== undefined; path = left.shift()) {
    if (count >= MOST) return {names: paths, count, bytes, isMore: true}
    count += 1
    const whole = join(root, path)
    // Skip items that disappear meanwhile.
    const facts = await lstat(whole).catch(() => undefined)
    if (facts?.isFile()) bytes += facts.size
    if (!facts?.isDirectory()) continue
    const inside = path
    const names = await readdir(whole).catch(() => [])
    left.push(...names.map(name => join(inside, name)))
  }
  return {names: paths, count, bytes}
}
