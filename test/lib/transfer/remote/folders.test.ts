import {expect, test} from 'vitest'
import type {BatchCall, Client, Outcome} from '#lib/client/client.js'
import {makeInBatches} from '#lib/transfer/remote/folders.js'
import type {Reserved} from '#lib/transfer/tree/reserved-ids.js'

/** A service whose batches answer as `answer` says, and the folders that were asked of it. */
function batches(answer: (calls: readonly BatchCall[]) => Outcome[] | undefined) {
  const asked: string[][] = []
  const client = {
    async batch(calls: readonly BatchCall[]) {
      asked.push(calls.map(({input}) => String(input.body!.title)))
      return answer(calls)
    },
  } as unknown as Client
  return {client, asked}
}

const made = (calls: readonly BatchCall[]): Outcome[] => calls.map(() => ({record: {}}))

const stepsOf = (...paths: string[]) =>
  paths.map(path => ({
    action: 'folder' as const,
    path,
    name: path.split('/').at(-1)!,
    parent: path.split('/').slice(0, -1).join('/'),
  }))

async function run(
  client: Client,
  paths: readonly string[],
  old: readonly string[] = [],
): Promise<{made: string[]; taken: string[]}> {
  const taken: string[] = []
  const get = (path: string): Reserved => ({id: `id of ${path}`, isOld: old.includes(path)})
  const reserved = {
    get,
    take(path: string) {
      taken.push(path)
      return get(path)
    },
  }
  const {signal} = new AbortController()
  const known = new Map([['', 'top']])
  const ids = await makeInBatches(client, stepsOf(...paths), {known, reserved, signal})
  return {made: [...ids.keys()], taken}
}

test('folders are made depth by depth, a hundred with one request', async () => {
  const inner = Array.from({length: 150}, (_, n) => `a/b/c${n}`)
  const {client, asked} = batches(made)
  const result = await run(client, ['a', 'a/b', ...inner])
  expect(asked.map(({length}) => length)).toEqual([1, 1, 100, 50])
  expect(result.made).toEqual(['a', 'a/b', ...inner])
})

test('one is made in the folder that was made before, under its own ID', async () => {
  const {client} = batches(calls => {
    for (const {input} of calls) {
      const {id, title, parents} = input.body as {
        id: string
        title: string
        parents: {id: string}[]
      }
      const parent = title === 'a' ? 'top' : 'id of a'
      expect([id, parents]).toEqual([title === 'a' ? 'id of a' : 'id of a/b', [{id: parent}]])
    }
    return made(calls)
  })
  expect((await run(client, ['a', 'a/b'])).made).toEqual(['a', 'a/b'])
})

test('what failed, and all below it, is left to be made one by one', async () => {
  const {client, asked} = batches(calls =>
    calls.map(({input}) =>
      input.body!.title === 'x' ? {error: new Error('no')} : {record: undefined},
    ),
  )
  const result = await run(client, ['x', 'y', 'x/in', 'y/in'])
  expect(result.made).toEqual(['y', 'y/in'])
  expect(asked).toEqual([['x', 'y'], ['in']])
  // Its ID may have been used all the same.
  expect(result.taken).toContain('x')
})

test('a batch that fails as a whole leaves all of it, with IDs that may have been used', async () => {
  const {client} = batches(() => {
    throw new Error('no answer')
  })
  expect(await run(client, ['a', 'b'])).toEqual({made: [], taken: ['a', 'b']})
})

test('a service without batches is asked once, and uses no ID', async () => {
  const {client, asked} = batches(() => undefined)
  expect(await run(client, ['a', 'b', 'a/c'])).toEqual({made: [], taken: []})
  expect(asked).toHaveLength(1)
})

test('one whose ID an earlier run had is not among them', async () => {
  const {client, asked} = batches(made)
  expect((await run(client, ['a', 'b', 'a/c'], ['a'])).made).toEqual(['b'])
  expect(asked).toEqual([['b']])
})
