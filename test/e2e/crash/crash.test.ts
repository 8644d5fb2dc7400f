import {readFileSync, writeFileSync} from 'node:fs'
import {fileURLToPath} from 'node:url'
import {afterAll, beforeAll, expect, test} from 'vitest'
import type {Failure} from '../../support/crash-points.js'
import {runHere} from '../../support/here.js'
import {randomOf} from '../../support/random.js'
import {rounds} from '../../support/size.js'
import {startWorld, type World} from '../../support/world.js'
import {accountStories} from './account-stories.js'
import {batchStories} from './batch-stories.js'
import {everydayStories} from './everyday-stories.js'
import {followStories} from './follow-stories.js'
import {type Case, casesOf, rehearse, runCase} from './run-story.js'
import type {Story} from './story.js'
import {treeStories} from './tree-stories.js'

/**
 * Commands that fail at a point at which they change the disk or talk to a service: the process is killed, the power
 * fails, or the disk is full, read-only or broken. Then they run again. With TEST_FULL=1, all stories fail at all
 * points in all ways; otherwise a few, which differ between runs.
 */

const STORIES = [everydayStories, treeStories, followStories, batchStories, accountStories].flat()
const random = randomOf(Number(process.env.TEST_SEED))

function some<T>(all: readonly T[], count: number): T[] {
  const order = all.map(one => [random(), one] as const).sort(([a], [b]) => a - b)
  return order.slice(0, count).map(([, one]) => one)
}

/** The points of each story. `npm run texts -- test/e2e/crash` updates them. */
const POINTS = fileURLToPath(new URL('points.md', import.meta.url))
const isRecorded = process.env.TEST_TEXTS !== undefined
const recorded = new Map<string, string>()

let world: World
beforeAll(async () => {
  world = await startWorld({approval: {user: 'ada'}}, runHere)
  const app = ['--client-id', 'expiring', '--public', '--device-flow']
  const times = ['--expires', '15m', '--reuse-interval', '30s']
  await world.drv('local app create', 'Expiring', ...app, ...times, '--data', world.data)
})
afterAll(() => world.close())

const failing = new Set(some(STORIES, rounds(4, STORIES.length)))

/** What went wrong once, and always runs: the failures by the kind and the end of the path of their point. */
const FAILED: Readonly<Record<string, ReadonlyArray<readonly [Failure, string, RegExp]>>> = {
  // The name of the journal entry was not flushed, and the file was created twice.
  'files insert from a file': [['undone', 'response', /^POST \/upload/]],
  // Its IDs stayed recorded.
  'push from standard input': [['kill', 'response', /^POST \/upload/]],
  // Zeros instead of the whole head were no checkpoint.
  'table with a checkpoint': [['zeroed', 'flush', /table\.done$/]],
  'push --follow of changes': [
    // An item that had been moved was moved again, which the service refuses.
    ['kill', 'response', /^PATCH /],
    // That the state could not be written ended the process without an explanation.
    ['EROFS', 'rename', /\.json$/],
  ],
  // The emptied files stayed, and the remote ones were saved beside them.
  'pull --follow of a new tree': [['lost', 'rm', /\.jsonl\.lock$/]],
  // The file that tries the directory stayed.
  'auth login': [['kill', 'rm', /\.tmp$/]],
}

function hasFailed({name}: Story, {point, failure}: Case): boolean {
  const known = FAILED[name] ?? []
  return known.some(
    ([how, kind, path]) => how === failure && kind === point.kind && path.test(point.path),
  )
}

test.each(STORIES)('$name', {timeout: rounds(60_000, 1_200_000)}, async story => {
  const rehearsal = await rehearse(world, story)
  const section = [`## ${story.name}`, '', ...rehearsal.lines.map(line => `- ${line}`)].join('\n')
  recorded.set(story.name, section)
  if (isRecorded) return
  expect(`${readFileSync(POINTS, 'utf8')}\n`).toContain(`${section}\n\n`)
  const all = casesOf(story, rehearsal)
  const chosen = failing.has(story) ? some(all, rounds(2, all.length)) : []
  const queue = new Set([...all.filter(one => hasFailed(story, one)), ...chosen]).values()
  const wrong: string[] = []
  const work = async () => {
    for (const one of queue) {
      const found = await runCase(world, story, rehearsal, one)
      if (found.length === 0) continue
      wrong.push([`${one.failure} at point ${one.point.at}`, ...found].join('\n  '))
    }
  }
  await Promise.all([work(), work()])
  expect(wrong).toEqual([])
})

afterAll(() => {
  if (!isRecorded) return
  const sections = STORIES.map(({name}) => recorded.get(name))
  const title = '# What commands write and request'
  writeFileSync(POINTS, `${[title, ...sections].join('\n\n')}\n`)
})
