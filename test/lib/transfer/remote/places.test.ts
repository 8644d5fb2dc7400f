import {describe, expect, test} from 'vitest'
import {listFolder} from '#lib/transfer/remote/listing.js'
import {parseRemotePath} from '#lib/transfer/remote/remote-path.js'
import {resolveRemotePath} from '#lib/transfer/remote/resolve.js'
import {openRemotePath, remoteSources} from '#lib/transfer/remote/sources.js'
import {failureText} from '../../../support/failure-text.js'
import {fakeClient, type FakeFile, FOLDER} from './client.js'

const files: readonly FakeFile[] = [
  {id: 'root', title: 'My Drive', parent: '', mimeType: FOLDER},
  {id: 'r', title: 'Reports', parent: 'root', mimeType: FOLDER},
  {id: 'lower', title: 'reports', parent: 'root', mimeType: FOLDER},
  {id: 'y', title: "it's \\ 2026", parent: 'r', mimeType: FOLDER},
  {id: 'f', title: 'a.txt', parent: 'y', mimeType: 'text/plain', fileSize: '3'},
  {id: 't1', title: 'twice', parent: 'r', mimeType: FOLDER},
  {id: 't2', title: 'twice', parent: 'r', mimeType: 'text/plain'},
  {id: 'd', title: 'doc', parent: 'r', mimeType: 'application/vnd.google-apps.document'},
]
const find = (text: string) => resolveRemotePath(fakeClient(files).client, parseRemotePath(text))

const ways = [
  ['that answers at once', {}, 2],
  ['whose answer has several pages', {pageSize: 1}, 5],
  ['that tells no folders', {hasParents: false}, 5],
] as const

test.each(ways)('a path of three names at a service %s', async (_, options, requests) => {
  const {client, asked} = fakeClient(files, options)
  const {entry} = await resolveRemotePath(client, parseRemotePath("/Reports/it's \\ 2026/a.txt"))
  expect(entry).toMatchObject({id: 'f'})
  expect(asked).toHaveLength(requests)
})

describe('a folder named by its ID', () => {
  test('is listed while it is resolved', async () => {
    const {client, asked} = fakeClient(files)
    let look = () => {}
    const looked = new Promise<void>(resolve => (look = resolve))
    const slow: typeof client = {
      ...client,
      async call(...given) {
        await looked
        return client.call(...given)
      },
    }
    const opening = openRemotePath(slow, parseRemotePath('y'), {})
    await expect.poll(() => asked).toHaveLength(1)
    look()
    const {entry, folder} = await opening
    expect(entry).toMatchObject({id: 'y', title: "it's \\ 2026"})
    expect(folder).toMatchObject({id: 'y', title: "it's \\ 2026", entries: [{id: 'f'}]})
    expect(asked).toHaveLength(2)
  })

  test.each([
    ['in a shared drive', {...files[1]!, driveId: 'drive'}],
    ['that is none', {...files[4]!, id: 'r'}],
  ])('%s is not listed before it is known', async (_, file) => {
    const {entry, folder} = await openRemotePath(
      fakeClient([file]).client,
      parseRemotePath('r'),
      {},
    )
    expect([entry.id, folder]).toEqual(['r', undefined])
  })

  test('and a path are not listed before they are found', async () => {
    const {client, asked} = fakeClient(files)
    const {entry, folder} = await openRemotePath(client, parseRemotePath('/Reports'), {})
    expect([entry.id, folder, asked.length]).toEqual(['r', undefined, 2])
  })

  test('that does not exist is reported', async () => {
    const opening = openRemotePath(fakeClient(files).client, parseRemotePath('nothing'), {})
    await expect(opening).rejects.toMatchObject({status: 404})
  })
})

test('the long names of a path are searched one by one', async () => {
  const [one, other] = ['n'.repeat(800), 'o'.repeat(800)]
  const long = [
    files[0]!,
    {id: 'l1', title: one, parent: 'root', mimeType: FOLDER},
    {id: 'l2', title: other, parent: 'l1', mimeType: FOLDER},
  ]
  const {client, asked} = fakeClient(long)
  const {entry} = await resolveRemotePath(client, parseRemotePath(`/${one}/${other}`))
  expect(entry).toMatchObject({id: 'l2'})
  expect(asked).toHaveLength(3)
})

describe('the parts of a path', () => {
  test.each([
    ['/', 'root', []],
    ['/Reports', 'r', []],
    ['/reports', 'lower', []],
    ["/Reports/it's \\ 2026/a.txt", 'f', []],
    ['r/twice2', 'r', ['twice2']],
    ['/Reports/2027/May', 'r', ['2027', 'May']],
    ['f', 'f', []],
  ])('%s', async (text, id, missing) => {
    expect(await find(text)).toMatchObject({entry: {id}, missing})
  })

  test('two items of the same name are an error that lists both', async () => {
    expect(await failureText(() => find('/Reports/twice'))).toRead()
    await expect(find('/Reports/twice')).rejects.toMatchObject({
      kind: 'ambiguous',
      candidates: [
        {id: 't1', kind: 'a folder', path: '/Reports/twice'},
        {id: 't2', kind: 'a file', path: '/Reports/twice', size: 0},
      ],
    })
  })

  test.each([
    ['f/x', 'f is a file, not a folder.'],
    ['/Reports/doc/x', '/Reports/doc is an editor document, not a folder.'],
  ])('%s goes through an item that is not a folder', async (text, message) => {
    await expect(find(text)).rejects.toMatchObject({kind: 'wrongKind', message})
  })
})

describe('a tree of the service', () => {
  test('is read over all pages, as far as requested', async () => {
    const {client, asked} = fakeClient(files)
    const top = {kind: 'folder', id: 'r', title: 'Reports'} as const
    const {entries} = await listFolder(client, top, {wanted: names => names.at(-1) !== 'twice'})
    expect(entries!.map(({title}) => title)).toEqual(['doc', "it's \\ 2026", 'twice', 'twice'])
    expect(entries![1]).toMatchObject({entries: [{id: 'f', size: 3}]})
    expect(asked).toHaveLength(2)
  })

  const wide = [
    ...Array.from({length: 60}, (_, n) => ({
      id: `d${n}`,
      title: `d${n}`,
      parent: 'top',
      mimeType: FOLDER,
    })),
    ...Array.from({length: 60}, (_, n) => ({
      id: `e${n}`,
      title: 'e',
      parent: `d${n}`,
      mimeType: FOLDER,
    })),
    {id: 'both', title: 'leaf', parent: 'e59', mimeType: 'text/plain'},
  ]

  test.each([
    ['many folders with one request', {}, 5],
    ['one by one where it is not told what is in which', {hasParents: false}, 1 + 2 + 60 + 2 + 10],
  ])('is read %s', async (_, options, requests) => {
    const {client, asked} = fakeClient(wide, options)
    const top = {kind: 'folder', id: 'top', title: 'top'} as const
    const {entries} = await listFolder(client, top)
    expect(entries).toHaveLength(60)
    for (const entry of entries!) {
      expect(entry).toMatchObject({entries: [{id: entry.id.replace('d', 'e'), title: 'e'}]})
    }
    expect(entries!.find(({id}) => id === 'd59')).toMatchObject({
      entries: [{entries: [{id: 'both'}]}],
    })
    expect(asked).toHaveLength(requests)
  })

  test('that contains itself ends', async () => {
    const loop = [
      {id: 'a', title: 'a', parent: 'b', mimeType: FOLDER},
      {id: 'b', title: 'b', parent: 'a', mimeType: FOLDER},
    ]
    const top = {kind: 'folder', id: 'a', title: 'a'} as const
    const {entries} = await listFolder(fakeClient(loop).client, top)
    const closed = {kind: 'folder', id: 'a', title: 'a'}
    expect(entries).toEqual([{kind: 'folder', id: 'b', title: 'b', entries: [closed]}])
  })

  test('is combined from paths, each under its name or by its contents', async () => {
    const sources = (...texts: string[]) =>
      remoteSources(fakeClient(files).client, texts.map(parseRemotePath), {
        signal: new AbortController().signal,
      })
    const titles = async (...texts: string[]) => {
      const {entries, isPartial} = await sources(...texts)
      return [entries!.map(({title}) => title), isPartial]
    }
    expect(await titles('/Reports')).toEqual([['Reports'], true])
    expect(await titles('y/')).toEqual([['a.txt'], false])
    expect(await titles('y/', 'f')).toEqual([['a.txt', 'a.txt'], true])
    await expect(sources('f/')).rejects.toMatchObject({kind: 'wrongKind'})
    await expect(sources('/none')).rejects.toMatchObject({kind: 'missing'})
  })
})

test('a listing requests fifty folders at a time, eight such requests concurrently', async () => {
  const below = Array.from({length: 450}, (_, n) => ({
    id: `below-${n}`,
    title: `below ${n}`,
    parent: 'root',
    mimeType: FOLDER,
  }))
  const {client, asked} = fakeClient([files[0]!, ...below])
  let running = 0
  let most = 0
  const counted = {
    ...client,
    async *pages(...call: Parameters<typeof client.pages>) {
      most = Math.max(most, ++running)
      await new Promise(resolve => setImmediate(resolve))
      yield* client.pages(...call)
      running -= 1
    },
  }
  await listFolder(counted, {kind: 'folder', id: 'root', title: 'My Drive'})
  const folders = asked.map(({input}) => String(input.params.q).match(/ in parents/g)!.length)
  expect(folders).toEqual([1, ...Array<number>(9).fill(50)])
  expect(most).toBe(8)
})
