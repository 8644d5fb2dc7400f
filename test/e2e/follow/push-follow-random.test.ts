import {mkdirSync} from 'node:fs'
import {join} from 'node:path'
import {setTimeout as wait} from 'node:timers/promises'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {
  difference,
  isSameTree,
  localTree,
  remoteTree,
  startFollower,
  until,
} from '../../support/followers.js'
import {createEditor} from '../../support/random-edits.js'
import {startWorld, type World} from '../../support/world.js'

/** Number of edits: DRV_TEST_EDITS=500 for the full size. */
const EDITS = Number(process.env.DRV_TEST_EDITS ?? 40)
const SEED = Number(process.env.DRV_TEST_EDITS_SEED ?? 31)

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

test(
  `a remote folder equals the local one after ${EDITS} random edits`,
  async () => {
    const source = join(world.folder, 'random')
    mkdirSync(source)
    const top = await world.make('random', 'root')
    const args = ['push', `${source}/`, top, '--follow', '--delete', '--yes']
    let follower = startFollower(world, args)
    await until(() => follower.text().includes('Following'), follower.text)
    const {edit, random} = createEditor(source, SEED)
    for (let count = 1; count <= EDITS; count++) {
      edit()
      if (random() < 0.2) await wait(random() * 2500)
      if (count !== Math.floor(EDITS / 2)) continue
      // It is not running for a while.
      await follower.end()
      for (let missed = 0; missed < 5; missed++) edit()
      follower = startFollower(world, args)
    }
    await until(
      async () => isSameTree(localTree(source), await remoteTree(world, top)),
      async () => ({
        ...difference(localTree(source), await remoteTree(world, top)),
        text: follower.text().split('\n').slice(-12),
      }),
      60,
    )
    expect(await follower.end()).toBe(130)
    expect(follower.text()).not.toMatch(/Failed|Conflict/)
  },
  EDITS * 2000 + 60_000,
)
