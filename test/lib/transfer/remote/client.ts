import type {OperationId} from '#lib/api/operations.js'
import type {BatchCall, CallInput, Client, Page} from '#lib/client/client.js'
import {ServiceError} from '#lib/client/errors.js'
import {eachPage} from '#lib/client/pages.js'
import {withRetries} from '#lib/client/retry/attempts.js'

/** A service with a few records, for trees. */

export interface FakeFile {
  readonly id: string
  readonly title: string
  readonly parent: string
  /** A second parent folder. */
  readonly alsoIn?: string
  readonly mimeType?: string
  readonly md5Checksum?: string
  readonly fileSize?: string
  readonly labels?: {readonly trashed: boolean}
  readonly driveId?: string
  readonly sharedWithMeDate?: string
}

export const FOLDER = 'application/vnd.google-apps.folder'

interface FakeOptions {
  readonly pageSize?: number
  /** Whether lists return parents. */
  readonly hasParents?: boolean
  readonly drives?: readonly Page[]
  readonly hasBatches?: boolean
  /** Returns an error for a call, if any; `size` is the number of calls in its request. */
  readonly fault?: (call: BatchCall, size: number) => unknown
}

/**
 * The client and its requests: calls, lists (once for all pages), and batches.
 * `counts` has the number of requests.
 */
export function fakeClient(
  files: readonly FakeFile[],
  {pageSize = 1000, hasParents = true, drives = [], hasBatches = true, fault}: FakeOptions = {},
) {
  const asked: Array<{readonly id: string; readonly input: CallInput; readonly size?: number}> = []
  const counts = {requests: 0}
  let ids = 0

  function answer({id, input}: BatchCall, size = 1): Page {
    const wrong = fault?.({id, input}, size)
    if (wrong !== undefined) throw wrong
    const {fileId, maxResults} = input.params
    if (id === 'files.generateIds') {
      return {ids: Array.from({length: Number(maxResults)}, () => `new-${ids++}`)}
    }
    if (id === 'drives.get') return drives.find(one => one.id === input.params.driveId) ?? {}
    if (id === 'drives.list') return {items: drives}
    if (id === 'files.list') return list(input)
    if (id !== 'files.get') throw new Error(`Nobody asks for ${id} here.`)
    const file = files.find(one => one.id === fileId)
    if (!file) throw new ServiceError(404, 'notFound', `File not found: ${String(fileId)}`)
    return recordOf(file)
  }

  function list({params}: CallInput): Page {
    const q = String(params.q)
    const parents = [...q.matchAll(/'([^']*)' in parents/g)].map(([, id]) => id)
    const titles = [...q.matchAll(/title = '((?:[^'\\]|\\.)*)'/g)].map(([, title]) =>
      foldedTitle(title!.replace(/\\(.)/g, '$1')),
    )
    const found = files.filter(
      ({parent, alsoIn, title, driveId, labels}) =>
        !(labels?.trashed && q.includes('trashed = false')) &&
        (params.driveId === undefined || params.driveId === driveId) &&
        (parents.length === 0 || [parent, alsoIn].some(id => parents.includes(id))) &&
        (titles.length === 0 || titles.includes(foldedTitle(title))),
    )
    const start = Number(params.pageToken ?? 0)
    const end = start + pageSize
    return {
      items: found
        .slice(start, end)
        .map(file => (hasParents ? recordOf(file) : {...file, parents: undefined})),
      ...(end < found.length && {nextPageToken: String(end)}),
    }
  }

  const client = {
    // The token is never proven.
    proven: () => new Promise<void>(() => undefined),
    async call(id: OperationId, input: CallInput): Promise<Page> {
      asked.push({id, input})
      counts.requests += 1
      return answer({id, input})
    },
    async *pages(id: OperationId, input: CallInput): AsyncGenerator<Page> {
      asked.push({id, input})
      yield* eachPage(async params => {
        counts.requests += 1
        return answer({id, input: {params}})
      }, input.params)
    },
    async batch(calls: readonly BatchCall[]) {
      counts.requests += 1
      if (!hasBatches) return undefined
      asked.push({id: 'batch', input: {params: {}}, size: calls.length})
      return calls.map(call => {
        try {
          return {record: answer(call, calls.length)}
        } catch (error) {
          return {error}
        }
      })
    },
    persist<T>(work: (progressed: () => void) => Promise<T>): Promise<T> {
      const retrying = {now: () => 0, sleep: async () => undefined, random: () => 0}
      return withRetries(retrying, {repeat: 'safe', persistent: true}, (_, progressed) =>
        work(progressed),
      )
    },
  }
  return {client: client as unknown as Client, asked, counts}
}

function recordOf({parent, alsoIn = '', ...file}: FakeFile): Page {
  const parents = [parent, alsoIn].filter(Boolean).map(id => ({id, isRoot: id === 'root'}))
  return {...file, parents}
}

/** Title comparison that ignores case and Unicode normalization. */
function foldedTitle(title: string): string {
  return title.normalize('NFC').toLowerCase()
}
