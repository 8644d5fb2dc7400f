import type {BatchCall, CallInput, Client, Page} from '../../../../src/lib/client/client.js'
import {ServiceError} from '../../../../src/lib/client/errors.js'

/** A service of a few records, as far as trees ask for them. */

export interface FakeFile {
  readonly id: string
  readonly title: string
  readonly parent: string
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
  /** Whether lists tell which folders things are in. */
  readonly hasParents?: boolean
  readonly drives?: readonly Page[]
  readonly hasBatches?: boolean
}

/** The client, and what it was asked for. */
export function fakeClient(
  files: readonly FakeFile[],
  {pageSize = 1000, hasParents = true, drives = [], hasBatches = true}: FakeOptions = {},
) {
  const asked: Array<{readonly id: string; readonly input: CallInput}> = []
  let ids = 0
  const client = {
    async call(id: string, input: CallInput): Promise<Page> {
      asked.push({id, input})
      const {fileId, maxResults} = input.params
      if (id === 'files.generateIds') {
        return {ids: Array.from({length: Number(maxResults)}, () => `new-${ids++}`)}
      }
      if (id === 'drives.get') return drives.find(one => one.id === input.params.driveId) ?? {}
      if (id !== 'files.get') throw new Error(`Nobody asks for ${id} here.`)
      const file = files.find(one => one.id === fileId)
      if (!file) throw new ServiceError(404, 'notFound', `File not found: ${String(fileId)}`)
      return recordOf(file)
    },
    async *pages(id: string, input: CallInput): AsyncGenerator<Page> {
      asked.push({id, input})
      if (id === 'drives.list') return yield {items: drives}
      const q = String(input.params.q)
      const parents = [...q.matchAll(/'([^']*)' in parents/g)].map(([, id]) => id)
      const titles = [...q.matchAll(/title = '((?:[^'\\]|\\.)*)'/g)].map(([, title]) =>
        title!.replace(/\\(.)/g, '$1').toLowerCase(),
      )
      const found = files
        .filter(
          ({parent, title, driveId, labels}) =>
            !(labels?.trashed && q.includes('trashed = false')) &&
            (input.params.driveId === undefined || input.params.driveId === driveId) &&
            (parents.length === 0 || parents.includes(parent)) &&
            (titles.length === 0 || titles.includes(title.toLowerCase())),
        )
        .map(file => (hasParents ? recordOf(file) : {...file, parents: undefined}))
      while (found.length > pageSize) {
        yield {items: found.splice(0, pageSize), nextPageToken: 'more'}
      }
      yield {items: found}
    },
    async batch(calls: readonly BatchCall[]) {
      if (!hasBatches) return undefined
      asked.push({id: 'batch', input: {params: {}}})
      const size = asked.length
      const outcomes = await Promise.all(
        calls.map(({id, input}) =>
          client.call(id, input).then(
            record => ({record}),
            (error: unknown) => ({error}),
          ),
        ),
      )
      asked.length = size
      return outcomes
    },
  }
  return {client: client as unknown as Client, asked}
}

function recordOf({parent, ...file}: FakeFile): Page {
  return {...file, parents: parent === '' ? [] : [{id: parent, isRoot: parent === 'root'}]}
}
