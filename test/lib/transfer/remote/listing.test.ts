import {expect, test} from 'vitest'
import {DEPTH_LIMIT} from '#lib/api/wire.js'
import {ProtocolError} from '#lib/client/errors.js'
import {entriesBelow, listFolder} from '#lib/transfer/remote/listing.js'
import {fakeClient, type FakeFile, FOLDER} from './client.js'

/** Nested folders, `depth` levels below the top. */
const chain = (levels: number): readonly FakeFile[] =>
  Array.from({length: levels}, (_, level) => ({
    id: `f${level + 1}`,
    title: 'f',
    parent: level === 0 ? 'root' : `f${level}`,
    mimeType: FOLDER,
  }))

test('a tree of the maximum depth is listed completely', async () => {
  const {client} = fakeClient(chain(DEPTH_LIMIT))
  const below = await entriesBelow(client, ['root'])
  expect(below.get(`f${DEPTH_LIMIT}`)).toEqual([])
})

test('endlessly nested folders are an error after a request for each level', async () => {
  const {client, counts} = fakeClient(chain(10 * DEPTH_LIMIT))
  const listing = listFolder(client, {kind: 'folder', id: 'root', title: ''})
  await expect(listing).rejects.toThrow(ProtocolError)
  expect(counts.requests).toBe(DEPTH_LIMIT + 1)
})
