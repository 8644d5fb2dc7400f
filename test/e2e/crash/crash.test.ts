import {readFileSync, writeFileSync} from 'node:fs'
import {fileURLToPath} from 'node:url'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {randomOf} from '../../support/random.js'
import {rounds} from '../../support/size.js'
import {startWorld, type World} from '../../support/world.js'
import {accountStories} from './account-stories.js'
import {batchStories} from './batch-stories.js'
import {everydayStories} from './everyday-stories.js'
import {casesOf, rehearse, runCase} from './run-story.js'
import {treeStories} from './tree-stories.js'

/**
 * Commands that fail at a point at which they change the disk or talk to a service: the process is killed, the power
 * fails, or the disk is full, read-only or broken. Then they run again. With TEST_FULL=1, all stories fail at all
 * points in all ways; otherwise a few, which differ between runs.
 */

const STORIES = [...everydayStories, ...treeStories, ...batchStories, ...accountStories]
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

test.each(STORIES)('$name', {timeout: rounds(60_000, 1_200_000)}, async story => {
  const rehearsal = await rehearse(world, story)
  const section = [`## ${story.name}`, '', ...rehearsal.lines.map(line => `- ${line}`)].join('\n')
  recorded.set(story.name, section)
  if (isRecorded) return
  expect(`${readFileSync(POINTS, 'utf8')}\n`).toContain(`${section}\n\n`)
  if (!failing.has(story)) return
  const all = casesOf(story, rehearsal)
  const queue = some(all, rounds(2, all.length)).values()
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
