import {describe, expect, test} from 'vitest'
import type {Context} from '#lib/cli/context/context.js'
import {createResolver} from '#lib/cli/input/names/resolver.js'
import {ServiceError} from '#lib/client/errors.js'
import {fakeClient, FOLDER} from '../../../transfer/remote/client.js'

const files = [
  {id: 'root', title: 'My Drive', parent: '', mimeType: FOLDER},
  {id: 'a', title: 'A, B', parent: 'root', mimeType: FOLDER},
  {id: 'c', title: 'C', parent: 'root', mimeType: FOLDER},
  {id: 't', title: 'T', parent: 'd', driveId: 'd'},
]

function world(fault?: () => unknown) {
  const drives = [{id: 'd', name: 'My Team'}]
  const {client, asked, counts} = fakeClient(files, {drives, fault})
  const context = {
    client: async () => client,
    io: {interactive: false},
    signal: new AbortController().signal,
  } as unknown as Context
  return {resolver: createResolver(context), asked, counts}
}

describe('a word', () => {
  test.each([
    ['1abc', '1abc', 0],
    ['id:a.b', 'a.b', 0],
    ['https://example.com/open?id=1abc', '1abc', 0],
    ['/', 'root', 0],
    ['/C', 'c', 2],
    ['/A, B', 'a', 2],
  ])('for a file: %s', async (word, id, requests) => {
    const {resolver, asked} = world()
    expect(await resolver.file(word)).toBe(id)
    expect(await resolver.file(word)).toBe(id)
    expect(asked).toHaveLength(requests)
  })

  test.each([
    ['1abc,2def', '1abc,2def'],
    ['/C,1abc', 'c,1abc'],
    ['/A, B,/C', 'a,c'],
    ['id:x,/', 'x,root'],
  ])('for several files: %s', async (words, ids) => {
    expect(await world().resolver.files(words)).toBe(ids)
  })

  test.each([
    ['My Team', 'd'],
    ['drive:My Team/', 'd'],
    ['Team', 'Team'],
    ['id:a b', 'a b'],
    ['https://example.com/drive/folders/0A1', '0A1'],
  ])('for a shared drive: %s', async (word, id) => {
    expect(await world().resolver.drive(word)).toBe(id)
  })
})

test('an invalid name is a usage error', async () => {
  await expect(world().resolver.file('report.pdf')).rejects.toMatchObject({
    name: 'UsageError',
    hint: 'Remote paths start with a slash: /report.pdf. To use an ID, write id:report.pdf.',
  })
})

test('a missing item has its own exit code', async () => {
  await expect(world().resolver.file('/D')).rejects.toMatchObject({
    name: 'CommandError',
    exit: 'notFound',
    hint: 'Check the path (names are case-sensitive), or use the ID.',
  })
})

describe('several words resolved together', () => {
  const words = ['/C', '/A, B', '1abc', '/D', 'a.b', 'drive:My Team/T', 'drive:My Team', '/C', '/']

  test('need no requests afterwards, and each has its own error', async () => {
    const {resolver, counts} = world()
    await resolver.prefetch(words)
    const before = counts.requests
    const results = await Promise.allSettled(words.map(word => resolver.file(word)))
    expect(
      results.map(result =>
        result.status === 'fulfilled' ? result.value : (result.reason as Error).message,
      ),
    ).toEqual([
      ...['c', 'a', '1abc', 'There is no "D" in /.', 'a.b is not a remote path, link or file ID.'],
      ...['t', 'd', 'c', 'root'],
    ])
    expect(results[3]).toMatchObject({reason: {name: 'CommandError', exit: 'notFound'}})
    await resolver.prefetch(words)
    expect([before, counts.requests]).toEqual([4, 4])
  })

  test('that name shared drives list them once', async () => {
    const {resolver, counts} = world()
    const paths = Array.from({length: 100}, (_, n) => `drive:My Team/T${n === 7 ? '' : n}`)
    await resolver.prefetch(paths)
    expect(await resolver.file('drive:My Team/T')).toBe('t')
    expect(counts.requests).toBe(3)
  })

  test('without a path need no requests', async () => {
    const {resolver, counts} = world()
    await resolver.prefetch(['1abc', 'id:a.b', 'https://example.com/open?id=1abc', '/', 'no.path'])
    expect(counts.requests).toBe(0)
  })

  test('fail together if the token is rejected', async () => {
    const stale = new ServiceError(401, 'authError', 'Invalid Credentials')
    const {resolver, counts} = world(() => stale)
    await expect(resolver.prefetch(words)).rejects.toBe(stale)
    await expect(resolver.file('/C')).rejects.toBe(stale)
    expect(counts.requests).toBe(1)
  })
})
