import {Readable} from 'node:stream'
import {expect, test} from 'vitest'
import type {Page} from '#lib/client/client.js'
import {ProtocolError} from '#lib/client/errors.js'
import {createClient} from '#lib/client/index.js'
import {eachPage} from '#lib/client/pages.js'
import {createWaits} from '#lib/client/transport/waits.js'

/** Lists that never end. */

/** A list whose page with this number is `page`; every page has another token. */
function endless(page: (number: number) => Page) {
  let requests = 0
  const fetch = async () => {
    requests += 1
    // Otherwise a list that never ends would hang all tests.
    if (requests === 1000) throw new Error('The list goes on.')
    return {...page(requests), nextPageToken: `token ${requests}`}
  }
  return {pages: eachPage(fetch, {}), requests: () => requests}
}

async function readAll(pages: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of pages);
}

test.each<[string, Page]>([
  ['no list', {}],
  ['an empty list', {items: []}],
  ['an empty list and words', {kind: 'drive#fileList', items: [], etag: 'x'}],
])('pages with %s end after a hundred in a row', async (_, page) => {
  const {pages, requests} = endless(() => page)
  await expect(readAll(pages)).rejects.toThrow(ProtocolError)
  expect(requests()).toBe(100)
})

test('an entry among empty pages restarts the count, whatever the name of the list', async () => {
  const {pages, requests} = endless(number => ({labels: number === 60 ? [{id: 'a'}] : []}))
  await expect(readAll(pages)).rejects.toRead()
  expect(requests()).toBe(160)
})

test('many empty pages before the end are valid', async () => {
  let left = 100
  await readAll(
    eachPage(async () => (left-- > 1 ? {items: [], nextPageToken: `${left}`} : {items: []}), {}),
  )
  expect(left).toBe(0)
})

/** A client whose pages take 300 ms each on a fake clock; returns what was reported and when. */
function slowClient() {
  const told: string[] = []
  const timers: Array<{at: number; work: () => void}> = []
  let time = 0
  const pass = (milliseconds: number) => {
    time += milliseconds
    for (const due of timers.filter(({at}) => at <= time)) {
      timers.splice(timers.indexOf(due), 1)
      due.work()
    }
  }
  const waits = createWaits({
    now: () => time,
    later: (milliseconds, work) => void timers.push({at: time + milliseconds, work}),
    tell: (what, milliseconds) => told.push(`${what} for ${Math.floor(milliseconds / 1000)} s`),
  })
  let requests = 0
  const client = createClient({
    baseUrl: 'https://files.example.com',
    token: async () => undefined,
    waits,
    send: async () => {
      requests += 1
      pass(300)
      const page = {items: [{id: `${requests}`}], nextPageToken: `${requests}`}
      const headers = {'content-type': 'application/json'}
      return {status: 200, headers, body: Readable.from([Buffer.from(JSON.stringify(page))])}
    },
  })
  return {client, waits, told, pass, requests: () => requests}
}

const LISTS = 'the rest of a list from files.example.com for 10 s'

test('pages with results that are not printed are reported after ten seconds, once', async () => {
  const {client, waits, told, requests} = slowClient()
  for await (const _ of client.pages('files.list', {params: {}})) {
    if (requests() === 30) expect(told).toEqual([])
    if (requests() === 30) expect(waits.longest()).toBeUndefined()
    if (requests() === 100) break
  }
  expect(told).toEqual([LISTS])
})

test('so are short lists in sequence, as in a tree', async () => {
  const {client, told} = slowClient()
  for (let level = 0; level < 50; level++) {
    for await (const _ of client.pages('files.list', {params: {}})) break
  }
  expect(told).toEqual([LISTS])
})

test('printed results, and lists with other work between them, are not', async () => {
  const {client, waits, told, pass, requests} = slowClient()
  for await (const _ of client.pages('files.list', {params: {}})) {
    waits.shown()
    if (requests() === 100) break
  }
  for (let file = 0; file < 50; file++) {
    for await (const _ of client.pages('files.list', {params: {}})) break
    pass(1500)
  }
  expect(told).toEqual([])
})
