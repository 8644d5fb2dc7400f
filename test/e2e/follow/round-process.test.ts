import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {type Follower, localTree, startFollower, until} from '../../support/followers.js'
import {startWorld, type World} from '../../support/world.js'

/** The process in which `push --follow` and `pull --follow` carry out changes. */

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

/** The processes that a process has started. */
function childrenOf({child: {pid}}: Follower): number[] {
  const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return list.split(' ').filter(Boolean).map(Number)
}

const isRunning = (pid: number) => existsSync(`/proc/${pid}`)

/** A follower and the remote folder; `round` is the process that transfers a file which takes long. */
async function startSlow(direction: 'push' | 'pull', more: readonly string[] = []) {
  const name = `${direction} ${Math.random()}`
  const folder = join(world.folder, name)
  mkdirSync(folder)
  const top = await world.make(name, 'root')
  const content = 'x'.repeat(500_000)
  if (direction === 'push') writeFileSync(join(folder, 'large'), content)
  else await world.make('large', top, content)
  const args = direction === 'push' ? [`${folder}/`, top] : [`${top}/`, folder]
  const start = (...slow: string[]) =>
    startFollower(world, [direction, ...args, '--follow', ...slow, ...more])
  const follower = start('--limit-rate', '50K')
  const rounds = () => childrenOf(follower)
  await until(() => rounds().length === 1, follower.text)
  return {folder, top, start, follower, round: rounds()[0]!}
}

test.runIf(process.platform === 'linux').each(['push', 'pull'] as const)(
  '%s ends if the process of its rounds is killed; the next run continues, and no process is left behind',
  async direction => {
    const {folder, top, start, follower, round} = await startSlow(direction)
    const closed = new Promise(resolve => follower.child.once('close', resolve))
    process.kill(round, 'SIGKILL')
    expect(await closed).toBe(1)
    expect(follower.text()).toRead()
    const next = start()
    await until(() => next.text().includes('Following'), next.text)
    const isComplete = async () =>
      direction === 'pull'
        ? 'large' in localTree(folder)
        : (await world.children(top)).some(({title}) => title === 'large')
    await until(isComplete, next.text)
    expect(await world.children(top)).toHaveLength(1)
    const [last] = childrenOf(next)
    expect(await next.end('SIGKILL')).toBeNull()
    await until(() => last === undefined || !isRunning(last), next.text)
  },
  60_000,
)

test.runIf(process.platform === 'linux').each([
  ['push', 'SIGKILL', null],
  ['pull', 'SIGTERM', 0],
] as const)('%s ends with the process of its rounds: %s', async (direction, signal, code) => {
  const {follower, round} = await startSlow(direction)
  expect(readFileSync(`/proc/${round}/cmdline`, 'utf8')).not.toContain(world.env.DRV_TOKEN)
  expect(await follower.end(signal)).toBe(code)
  await until(() => !isRunning(round), follower.text)
})

test.runIf(process.platform === 'linux')(
  'pull starts a process for each series of changes, which ends',
  async () => {
    const {folder, top, start, follower} = await startSlow('pull')
    await follower.end('SIGTERM')
    const next = start()
    await until(() => childrenOf(next).length === 0 && next.text().includes('Following'), next.text)
    for (const name of ['a', 'b']) {
      await world.make(name, top, name)
      await until(() => name in localTree(folder), next.text)
      await until(() => childrenOf(next).length === 0, next.text)
    }
    expect(await next.end()).toBe(130)
    expect(next.text()).not.toContain('Error')
  },
  60_000,
)
