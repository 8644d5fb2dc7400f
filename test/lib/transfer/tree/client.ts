import type {CallInput, Client, Page} from '../../../../src/lib/client/client.js'
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
}

export const FOLDER = 'application/vnd.google-apps.folder'

/** The client, and what it was asked for. */
export function fakeClient(files: readonly FakeFile[]) {
  const asked: Array<{readonly id: string; readonly input: CallInput}> = []
  let ids = 0
  const client = {
    async call(id: string, input: CallInput): Promise<Page> {
      asked.push({id, input})
      const {fileId, maxResults} = input.params
      if (id === 'files.generateIds') {
        return {ids: Array.from({length: Number(maxResults)}, () => `new-${ids++}`)}
      }
      if (id !== 'files.get') throw new Error(`Nobody asks for ${id} here.`)
      const file = files.find(one => one.id === fileId)
      if (!file) throw new ServiceError(404, 'notFound', `File not found: ${String(fileId)}`)
      return {...file, parents: [{id: file.parent}]}
    },
    async *pages(id: string, input: CallInput): AsyncGenerator<Page> {
      asked.push({id, input})
      const q = String(input.params.q)
      const parent = /^'(.*?)' in parents/.exec(q)?.[1]
      const title = /title = '(.*)'$/.exec(q)?.[1]?.replace(/\\(.)/g, '$1')
      const found = files.filter(
        file =>
          file.parent === parent &&
          (title === undefined || file.title.toLowerCase() === title.toLowerCase()),
      )
      // Pages of one, the last of them empty.
      for (const file of found) yield {items: [file], nextPageToken: 'more'}
      yield {items: []}
    },
  }
  return {client: client as unknown as Client, asked}
}
