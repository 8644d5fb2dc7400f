import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {setImmediate as immediate} from 'node:timers/promises'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import type {CallInput, Client, Page} from '#lib/client/client.js'
import {openCheckpointFile} from '#lib/follow/checkpoint-file.js'
import {followChanges} from '#lib/follow/follow.js'
import {type FollowedChange, interpretChange} from '#lib/follow/interpret.js'
import {itemStateOf} from '#lib/follow/known.js'
import {createKnownStates, type KnownStates} from '#lib/follow/known-states.js'
import {learnRecords} from '#lib/follow/list-items.js'
import {createPlaces, type Places} from '#lib/follow/places.js'
import {createWake} from '#lib/follow/wake.js'

/** A follower of two lists of changes, and a receiver that hands over when the test says so. */

const DRIVES = [undefined, 'd']
const roots = DRIVES.map(driveId => ({
  ...{id: `root-${driveId ?? 'my'}`, path: '/', isFolder: true},
  ...(driveId !== undefined && {driveId}),
}))

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'drv-follow-'))
  path = join(folder, 'checkpoint')
})
afterEach(() => rmSync(folder, {recursive: true}))

/** The change of a file `f` of some version. */
const change = (id: number, version: number, title = `v${version}`): Page => ({
  ...{id: String(id), fileId: 'f', modificationDate: '2026-11-24T00:00:00Z'},
  file: {
    ...{id: 'f', title, mimeType: 'text/plain', version: String(version), driveId: 'd'},
    parents: [{id: 'root-d'}],
  },
})

/** Follows the changes of both lists until none are pending. That of My Drive is read after `later` deliveries. */
async function start(pages: Readonly<Record<string, readonly Page[]>>, later = 0) {
  const known = createKnownStates()
  const checkpoint = await openCheckpointFile(path, {service: 's', paths: []}, known)
  if (!checkpoint.beginning) {
    checkpoint.begin({since: 1, roots}, new Map(DRIVES.map(list => [list, {token: '1'}])))
  }
  const accepted: Array<{change: FollowedChange; end: () => void}> = []
  const client = {
    async call(id: string, {params}: CallInput) {
      if (id !== 'changes.list') return {name: 'D'}
      while (params.driveId === undefined && accepted.length < later) await immediate()
      const items = pages[String(params.driveId ?? 'my')]!.filter(
        one => Number(one.id) >= Number(params.pageToken),
      )
      return {items, newStartPageToken: '10'}
    },
    batch: async () => undefined,
    proven: async () => undefined,
  } as unknown as Client
  let settle: () => void = () => undefined
  const settling = new Promise<void>(resolve => (settle = resolve))
  const following = followChanges({
    ...{client, checkpoint, known, isOnce: true},
    onSignedOut: async () => undefined,
    onExpired: () => undefined,
    isIgnored: () => false,
    polling: () => ({wake: createWake()}),
    receiver: {
      async accept(change) {
        const done = new Promise<void>(end => accepted.push({change, end}))
        return {done}
      },
      settle: () => settling,
    },
    sleep: async () => undefined,
    signal: new AbortController().signal,
  })
  return {
    accepted,
    kinds: () => accepted.map(({change: {kinds}}) => kinds.join(',')),
    /** Hands over everything. */
    async end() {
      for (const {end} of accepted) end()
      settle()
      await following
      await checkpoint.close()
    },
    /** Ends as after `kill -9`. */
    async kill() {
      const text = readFileSync(path)
      await checkpoint.close()
      writeFileSync(path, text)
    },
  }
}

test('a change in two lists is delivered once, and again if it was not handed over', async () => {
  const pages = {d: [change(1, 5)], my: [change(1, 5)]}
  const first = await start(pages)
  await expect.poll(first.kinds).toEqual(['moved'])
  await first.kill()
  const second = await start(pages)
  await expect.poll(second.kinds).toEqual(['moved'])
  await second.end()
  const third = await start(pages)
  await third.end()
  expect(third.kinds()).toEqual([])
})

test('an earlier state from the other list is no change', async () => {
  const pages = {d: [change(1, 5), change(2, 7)], my: [change(1, 6, 'v5')]}
  const follower = await start(pages, 2)
  await expect.poll(() => follower.accepted.length).toBe(2)
  await follower.end()
  expect(follower.accepted.map(({change: {title}}) => title)).toEqual(['v5', 'v7'])
})

describe('a folder in a list of the followed items', () => {
  const record = {
    ...{id: 'folder', title: 'a', mimeType: 'application/vnd.google-apps.folder', version: '3'},
    ...{parents: [{id: 'root'}], createdDate: '2026-11-24T00:00:00Z'},
  }

  /** What a list tells of the folder after `learn`. */
  async function listed(
    learn: (known: KnownStates, places: Places) => unknown,
    newAfter = Date.UTC(2026, 10, 23),
  ): Promise<readonly string[]> {
    const known = createKnownStates()
    const client = {
      call: async () => record,
      batch: async () => undefined,
      proven: async () => undefined,
    } as unknown as Client
    const onLearn = () => undefined
    const places = createPlaces({client, known, roots: new Set(['root']), onLearn})
    await learn(known, places)
    const change = {id: 'listed', fileId: 'folder', file: record}
    const interpreting = {known, places, isComplete: true, isListed: true}
    const {event} = interpretChange(change, {...interpreting, newAfter})
    return event?.kinds ?? []
  }

  test('needs no report if it was there at the start', async () => {
    const learn = (known: KnownStates) => learnRecords([record], known, () => undefined)
    expect(await listed(learn, Date.UTC(2026, 10, 25))).toEqual([])
    // It was created while the items were listed at the start.
    expect(await listed(learn)).toEqual(['created'])
  })

  test('was not reported, if it was only looked up for an item below it', async () => {
    const below = itemStateOf({id: 'f', title: 'f', parents: [{id: 'folder'}]})
    expect(await listed((_, places) => places.learnAbove([below]))).toEqual(['created'])
  })
})
