import {mkdirSync} from 'node:fs'
import {join} from 'node:path'
import {setTimeout as wait} from 'node:timers/promises'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {
  difference,
  type Follower,
  isSameTree,
  localTree,
  remoteSums,
  remoteTree,
  startFollower,
  until,
} from '../../support/followers.js'
import {createEditor} from '../../support/random-edits.js'
import {rounds} from '../../support/size.js'
import {startWorld, type World} from '../../support/world.js'

/** Number of edits on each of two machines. */
const EDITS = rounds(12, 500)
const SEED = Number(process.env.DRV_TEST_EDITS_SEED ?? 62)
/** Milliseconds after which a version counts as saved. */
const SETTLED = 6000

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

test(
  `two machines that push and pull converge without loss after ${EDITS} edits on each`,
  async () => {
    const top = await world.make('shared', 'root')
    const machines = ['one', 'two'].map((name, index) => {
      const folder = join(world.folder, name)
      mkdirSync(folder)
      const home = join(world.folder, `home-${name}`)
      const env = {HOME: home, XDG_CONFIG_HOME: join(home, 'c'), XDG_STATE_HOME: join(home, 's')}
      return {
        folder,
        env: {...env, XDG_DATA_HOME: join(home, 'd')},
        ...createEditor(folder, SEED + index, true),
      }
    })
    const followers: Follower[] = []
    for (const {folder, env} of machines) {
      for (const args of [
        ['push', `${folder}/`, top],
        ['pull', `${top}/`, folder],
      ]) {
        const follower = startFollower(world, [...args, '--follow', '--delete', '--yes'], env)
        followers.push(follower)
        await until(() => follower.text().includes('Following'), follower.text)
      }
    }
    /** The MD5s of saved versions, and where they were. */
    const saved = new Map<string, string>()
    for (let count = 1; count <= EDITS; count++) {
      for (const {edit, random} of machines) if (random() < 0.8) edit()
      await wait(machines[0]!.random() * 400)
      if (count % 6 !== 0) continue
      const before = machines.map(({folder}) => localTree(folder))
      await wait(SETTLED)
      for (const [index, {folder}] of machines.entries()) {
        const now = localTree(folder)
        for (const [path, sum] of Object.entries(now)) {
          if (sum !== '' && before[index]![path] === sum) saved.set(sum, join(folder, path))
        }
      }
    }
    const trees = async () => [
      ...machines.map(({folder}) => localTree(folder)),
      await remoteTree(world, top),
    ]
    await until(
      async () => {
        const [one, two, remote] = await trees()
        return isSameTree(one!, two!) && isSameTree(one!, remote!)
      },
      async () => {
        const [one, two, remote] = await trees()
        return {
          one: difference(one!, remote!),
          two: difference(two!, remote!),
          texts: followers.map(({text}) => text().split('\n').slice(-8)),
        }
      },
      150,
    )
    const kept = await remoteSums(world)
    for (const {folder} of machines) {
      for (const sum of Object.values(localTree(folder, '', true))) kept.add(sum)
    }
    const lost = [...saved].filter(([sum]) => !kept.has(sum))
    expect({lost, texts: lost.length > 0 ? followers.map(({text}) => text()) : []}).toEqual({
      lost: [],
      texts: [],
    })
    expect(saved.size).toBeGreaterThan(0)
    for (const follower of followers) expect(await follower.end()).toBe(130)
  },
  EDITS * 2000 + 240_000,
)
