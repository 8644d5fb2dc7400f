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

/** What is about to go. */
export interface Going {
  /** Some of it, by name. */
  readonly names: readonly string[]
  readonly count: number
  /** Folders among what was counted, where that is known. */
  readonly folders?: number
  /** There is more than was counted. */
  readonly isMore?: boolean
  /** Bytes of what was counted, as far as they are known. */
  readonly bytes?: number
}

/** Beyond this nobody counts on. */
const MOST = 1000

/** Names that are told. */
const NAMES = 5

/** `3 items (4.2 MiB): a.txt, b.txt, c.txt`, `more than 1,000 items: a.txt, b.txt, …` */
export function goingText({names, count, isMore = false, bytes = 0}: Going, noun = 'item'): string {
  const size = bytes > 0 ? ` (${isMore ? 'at least ' : ''}${sizeText(bytes)})` : ''
  const shown = names.slice(0, NAMES).map(name => printable(name, 60))
  const rest = isMore || count > shown.length ? ['…'] : []
  const told = shown.length > 0 ? `: ${[...shown, ...rest].join(', ')}` : ''
  return `${countText(count, isMore, noun)}${size}${told}`
}

function countText(number: number, isMore: boolean, noun: string): string {
  const isBeyond = number > MOST || (isMore && number === MOST)
  if (isBeyond) return `more than ${MOST.toLocaleString('en')} ${noun}s`
  if (isMore) return `at least ${number} ${noun}s`
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`
}

/** What a look costs at the most. */
const REQUESTS = 12

/** So many are asked for one by one. */
const FEW = 5

/** Folders whose contents one request asks for. */
const FOLDERS = 20

type Params = BatchCall['input']['params']

export type Look = ReturnType<typeof createLook>

/** A look at what is there through `client`, all of it together with 12 requests at the most. */
export function createLook(client: Client) {
  let left = REQUESTS

  /** Adds up pages until there are enough, and gives the folders among what it saw. */
  async function countInto(going: Counted, params: Params) {
    const folders: string[] = []
    for await (const page of client.pages('files.list', {params})) {
      left -= 1
      for (const record of recordsOf(page)) {
        going.count += 1
        going.bytes += sizeOf(record)
        if (going.names.length < FEW) going.names.push(recordName(record))
        if (record.mimeType !== FOLDER_TYPE) continue
        going.folders += 1
        folders.push(String(record.id))
      }
      if (page.nextPageToken === undefined) break
      if (left > 0 && going.count <= MOST) continue
      going.isMore = true
      break
    }
    return folders
  }

  return {
    /**
     * What the service says of each thing, in their order; `undefined` where it is not known. Fails
     * as the call does where there is one thing only.
     */
    async records(id: OperationId, all: readonly Params[]): Promise<Array<Page | undefined>> {
      const [first, ...rest] = all.map(params => ({id, input: {params}}))
      if (!first) return []
      const known = (call: BatchCall) => {
        left -= 1
        return client.call(call.id, call.input).catch((error: unknown) => {
          // What is not there is told by the request itself, of one among many.
          if (rest.length > 0 && error instanceof ServiceError && error.status === 404)
            return undefined
          throw error
        })
      }
      // By itself, for it shows whether the token is any good: a batch of bad ones locks its owner out.
      const found = [await known(first)]
      if (all.length <= FEW) return [...found, ...(await Promise.all(rest.map(known)))]
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
    /** What a list has. */
    async list(params: Params): Promise<Going> {
      const going = counted()
      await countInto(going, {maxResults: '1000', fields: FIELDS, ...params})
      return going
    },
    /** What lies in folders, in the trash or not, as deep as it goes. */
    async inside(folderIds: readonly string[]): Promise<Going> {
      const going = counted()
      let folders = [...folderIds]
      while (folders.length > 0) {
        if (left <= 0 || going.count > MOST) return {...going, isMore: true}
        const [now, later] = [folders.slice(0, FOLDERS), folders.slice(FOLDERS)]
        const params = searchParameters({folderIds: now, isTrashToo: true})
        folders = [...later, ...(await countInto(going, {...params, fields: FIELDS}))]
      }
      return going
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

/** The name of a record on one line, for a person: a title, a name or an ID. */
export function recordName({title, name, id}: Page): string {
  const text = [title, name, id].find(text => typeof text === 'string' && text !== '')
  return printable(text as string)
}

/** Its bytes, as far as they are known. */
export function sizeOf(record: Page | undefined): number {
  return Number(record?.fileSize ?? 0) || 0
}

/** What lies at some paths below a folder of this machine, as deep as it goes. */
export async function localGoing(root: string, paths: readonly string[]): Promise<Going> {
  let count = 0
  let bytes = 0
  const left = [...paths]
  for (let path = left.shift(); path !== undefined; path = left.shift()) {
    if (count >= MOST) return {names: paths, count, bytes, isMore: true}
    count += 1
    const whole = join(root, path)
    // What goes away meanwhile is lost without us.
    const facts = await lstat(whole).catch(() => undefined)
    if (facts?.isFile()) bytes += facts.size
    if (!facts?.isDirectory()) continue
    const inside = path
    const names = await readdir(whole).catch(() => [])
    left.push(...names.map(name => join(inside, name)))
  }
  return {names: paths, count, bytes}
}
