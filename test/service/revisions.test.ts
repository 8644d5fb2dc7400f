import {afterEach, beforeEach, expect, test} from 'vitest'
import {DOCUMENT_TYPE} from '#lib/service/content/types.js'
import {searchHandlers} from '#lib/service/handlers/files.js'
import {revisionsHandlers as handlers} from '#lib/service/handlers/revisions.js'
import {newOpaqueId} from '#lib/service/store/ids.js'
import {type Bench, type CallOptions, grant, NOW, openBench} from './calls.js'

let bench: Bench
let fileId: string
beforeEach(() => {
  bench = openBench()
  fileId = bench.file()
})
afterEach(() => bench.close())

const get = (revisionId: string, options?: CallOptions) =>
  bench.call(handlers['revisions.get'], 'revisions.get', {fileId, revisionId}, options)
const list = (params: Record<string, string> = {}, options?: CallOptions) =>
  bench.call(handlers['revisions.list'], 'revisions.list', {fileId, ...params}, options)
const patch = (revisionId: string, body: Record<string, unknown>, options: CallOptions = {}) =>
  bench.call(
    handlers['revisions.patch'],
    'revisions.patch',
    {fileId, revisionId},
    {...options, body},
  )
const remove = (revisionId: string, options?: CallOptions) =>
  bench.call(handlers['revisions.delete'], 'revisions.delete', {fileId, revisionId}, options)
const file = () =>
  bench.store.get<Record<string, string | number>>('SELECT * FROM files WHERE id = :fileId', {
    fileId,
  })!
const found = (word: string) =>
  bench.call(searchHandlers['files.list'], 'files.list', {q: `fullText contains '${word}'`}).items
    .length

test('the record of content', () => {
  const id = bench.content(fileId, 'hello')
  expect(get(id)).toEqual({
    kind: 'drive#revision',
    etag: expect.stringMatching(/^"[\w-]{27}"$/),
    id,
    selfLink: `http://127.0.0.1:8080/drive/v2/files/${fileId}/revisions/${id}`,
    downloadUrl: `http://127.0.0.1:8080/drive/v2/files/${fileId}?alt=media&revisionId=${id}`,
    mimeType: 'text/plain',
    modifiedDate: '2026-11-21T09:30:00.000Z',
    originalFilename: fileId,
    fileSize: '5',
    md5Checksum: '5d41402abc4b2a76b9719d911017c592',
    pinned: false,
    lastModifyingUserName: 'local',
    lastModifyingUser: expect.objectContaining({isAuthenticatedUser: true}),
  })
})

test('the record of an editor document', () => {
  const id = bench.content(fileId, '<p>x', {mimeType: DOCUMENT_TYPE})
  const record = get(id)
  expect(record).toMatchObject({
    published: false,
    publishAuto: false,
    publishedOutsideDomain: false,
  })
  expect(Object.keys(record)).not.toEqual(expect.arrayContaining(['downloadUrl']))
  expect(record.pinned).toBeUndefined()
})

test('they are listed from the oldest, in pages', () => {
  const ids = ['1', '2', '3', '4', '5'].map(text => bench.content(fileId, text))
  const first = list({maxResults: '2'})
  expect(first.kind).toBe('drive#revisionList')
  // Deletions meanwhile do not shift the list.
  remove(ids[0]!)
  const second = list({maxResults: '2', pageToken: first.nextPageToken})
  const third = list({maxResults: '2', pageToken: second.nextPageToken})
  const read = [first, second, third].flatMap(page =>
    page.items.map((item: {id: string}) => item.id),
  )
  expect(read).toEqual(ids)
  expect(third.nextPageToken).toBeUndefined()
  // Lists of revisions have no such field.
  expect(second).not.toHaveProperty('nextLink')
  expect(() => list({pageToken: 'x'})).toThrow('Invalid Value')
})

test('head is the newest', () => {
  bench.content(fileId, 'old')
  const newest = bench.content(fileId, 'new')
  expect(get('head').id).toBe(newest)
  for (const id of ['nowhere', 'constructor']) {
    expect(() => get(id)).toThrow(
      expect.objectContaining({
        status: 404,
        detail: expect.objectContaining({reason: 'notFound', location: 'revisionId'}),
      }),
    )
  }
  fileId = bench.folder()
  expect(() => get('head')).toThrow(expect.objectContaining({status: 403}))
})

test('only writers can see them', () => {
  const id = bench.content(fileId, 'x')
  grant(bench, fileId, {login: 'ann'})
  grant(bench, fileId, {login: 'bob'}, 'writer')
  expect(list({}, {login: 'bob'}).items).toHaveLength(1)
  const refused: (() => unknown)[] = [
    () => get(id, {login: 'ann'}),
    () => list({}, {login: 'ann'}),
    () => patch(id, {pinned: true}, {login: 'ann'}),
    () => remove(id, {login: 'ann'}),
  ]
  for (const ask of refused) expect(ask).toThrow(expect.objectContaining({status: 403}))
  expect(() => get(id, {login: 'eve'})).toThrow(expect.objectContaining({status: 404}))
})

test.each(['revisions.patch', 'revisions.update'] as const)('%s pins content', operation => {
  const id = bench.content(fileId, 'x')
  const change = (body: Record<string, unknown>) =>
    bench.call(handlers[operation], operation, {fileId, revisionId: id}, {body})
  const before = get(id)
  const {version} = file()
  expect(change({pinned: true}).pinned).toBe(true)
  expect(change({}).pinned).toBe(true)
  expect(change({published: false, mimeType: 'image/png'})).toMatchObject({
    pinned: true,
    mimeType: 'text/plain',
  })
  expect(file().version).toBe(Number(version) + 1)
  expect(get(id).etag).not.toBe(before.etag)
  expect(change({pinned: null}).pinned).toBe(false)
  expect(() => change({published: true})).toThrow(expect.objectContaining({status: 400}))
})

test('editor documents can be published, not pinned', () => {
  const id = bench.content(fileId, '<p>x', {mimeType: DOCUMENT_TYPE})
  expect(patch(id, {published: true, publishAuto: true})).toMatchObject({
    published: true,
    publishAuto: true,
    publishedOutsideDomain: false,
  })
  expect(() => patch(id, {pinned: true})).toThrow(
    expect.objectContaining({status: 400, detail: expect.objectContaining({location: 'pinned'})}),
  )
  expect(get(id).published).toBe(true)
})

test('at most 200 can be pinned', () => {
  bench.store.write(() => {
    for (let index = 0; index < 200; index++) bench.content(fileId, `${index}`, {pinned: true})
  })
  const id = bench.content(fileId, 'last')
  expect(() => patch(id, {pinned: true})).toThrow(expect.objectContaining({status: 403}))
  patch(list({maxResults: '1'}).items[0].id, {pinned: false})
  expect(patch(id, {pinned: true}).pinned).toBe(true)
})

test('a deleted one is deleted with its content', () => {
  const old = bench.content(fileId, 'old words')
  bench.content(fileId, 'new')
  const {blob_id: blobId} = bench.store.get<{blob_id: string}>(
    'SELECT blob_id FROM revisions WHERE id = :old',
    {old},
  )!
  const read = () => bench.store.content.readAll({id: blobId, size: 9})
  expect(read().toString()).toBe('old words')
  expect(file().quota_bytes).toBe(12)
  expect(remove(old)).toBeUndefined()
  expect(read).toThrow()
  expect(file().quota_bytes).toBe(3)
  expect(found('new')).toBe(1)
})

test('the previous one becomes the newest when the head is deleted', () => {
  const old = bench.content(fileId, 'old words', {mimeType: 'text/html'})
  bench.now += 60_000
  bench.content(fileId, 'new')
  bench.now += 60_000
  remove('head')
  expect(get('head').id).toBe(old)
  expect(file()).toMatchObject({
    head_revision_id: old,
    mime_type: 'text/html',
    quota_bytes: 9,
    modified_at: NOW + 120_000,
  })
  expect([found('new'), found('words')]).toEqual([0, 1])
  // It is the newest revision again, so the next one replaces it.
  bench.content(fileId, 'third')
  expect(list().items).toHaveLength(2)
})

test('the last one cannot be deleted, nor those of editor documents', () => {
  const id = bench.content(fileId, 'x')
  expect(() => remove(id)).toThrow(expect.objectContaining({status: 403}))
  expect(get('head').id).toBe(id)
  fileId = bench.file()
  const first = bench.content(fileId, '1', {mimeType: DOCUMENT_TYPE})
  bench.content(fileId, '2', {mimeType: DOCUMENT_TYPE})
  expect(() => remove(first)).toThrow(expect.objectContaining({status: 400}))
  expect(list().items).toHaveLength(2)
})

test('the ID of a revision is never parsed as a flag', () => {
  expect(newOpaqueId(() => Buffer.alloc(6, 0xfb))).toBe('0_v7-_v7')
})
