import {mkdirSync} from 'node:fs'
import {join} from 'node:path'
import {setTimeout as wait} from 'node:timers/promises'
import {afterAll, beforeAll, expect, onTestFinished, test} from 'vitest'
import {
  difference,
  type Follower,
  isSameTree,
  localTree,
  md5,
  remoteSums,
  remoteTree,
  startFollower,
  until,
} from '../../support/followers.js'
import {randomOf} from '../../support/random.js'
import {createEditor} from '../../support/random-edits.js'
import {rounds} from '../../support/size.js'
import {startWorld, type World} from '../../support/world.js'

/** Number of edits on each of two machines. */
const EDITS = rounds(12, 500)
const SEED = Number(process.env.DRV_TEST_EDITS_SEED ?? 62)
/** Milliseconds between bursts of edits: in the longest, everything is transferred. */
const PAUSES = [0, 300, 1000, 3000]

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
    onTestFinished(() => followers.forEach(({child}) => child.kill('SIGKILL')))
    const starts = machines.flatMap(({folder, env}) =>
      [
        ['push', `${folder}/`, top],
        ['pull', `${top}/`, folder],
      ].map(args => () => startFollower(world, [...args, '--follow', '--delete', '--yes'], env)),
    )
    for (const [index, start] of starts.entries()) {
      const follower = start()
      followers[index] = follower
      await until(() => follower.text().includes('Following'), follower.text)
    }
    const random = randomOf(SEED)
    const pick = <T>(some: readonly T[]): T => some[Math.floor(random() * some.length)]!
    for (let count = 1; count <= EDITS; count++) {
      for (const machine of machines) if (machine.random() < 0.8) machine.edit()
      await wait(random() * 400)
      if (count % 6 === 0) await wait(pick(PAUSES))
      if (count % 10 !== 0) continue
      // A power failure of one follower.
      const index = pick([0, 1, 2, 3])
      await followers[index]!.end('SIGKILL')
      followers[index] = starts[index]!()
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
    // Each version is somewhere, except those that an edit overwrote before they were uploaded.
    const destroyed = new Set(machines.flatMap(machine => [...machine.destroyed]))
    const saved = machines.flatMap(machine => machine.saved)
    const lost = saved.filter(content => !kept.has(md5(content)) && !destroyed.has(content))
    expect({lost, texts: lost.length > 0 ? followers.map(({text}) => text()) : []}).toEqual({
      lost: [],
      texts: [],
    })
    for (const follower of followers) expect(await follower.end()).toBe(130)
  },
  EDITS * 2000 + 240_000,
)
