import {afterAll, beforeAll, beforeEach, expect, test} from 'vitest'
import {type ChangeProxy, startChangeProxy} from '../../support/change-proxy.js'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
let proxy: ChangeProxy
beforeAll(async () => {
  world = await startWorld({}, runHere)
})
beforeEach(async () => {
  proxy = await startChangeProxy(world.url)
})
afterAll(() => world.close())

/** Runs a command and returns the number of its requests. */
async function requestsOf(command: string, args: readonly string[], env = {}): Promise<number> {
  const before = proxy.requests.length
  const urls = {DRV_BASE_URL: proxy.url, DRV_AUTH_URL: proxy.url}
  const {code, stderr} = await world.run(command, args, {env: {...urls, ...env}})
  expect(code, stderr).toBe(0)
  return proxy.requests.length - before
}

const stateOf = async (path: string) => {
  const {id} = await world.drv('stat', path)
  const {labels, description, properties = []} = await world.drv('files get', id)
  return {isStarred: labels.starred, description, properties}
}

test.each([
  ['star', ['a'], {isStarred: true}],
  ['star', ['a', 'b'], {isStarred: true}],
  ['star', ['*'], {isStarred: true}],
  ['files patch', ['a', '--description', 'new'], {description: 'new'}],
  ['properties insert', ['a', '--key', 'k', '--value', 'v'], {properties: [{key: 'k'}]}],
] as const)(
  '%s %j by path can be undone, without another request',
  async (command, args, change) => {
    const folders = [0, 1].map(each => `${command} ${args.join(' ')} ${each}`.replace('*', 'all'))
    for (const title of folders) {
      const folder = await world.make(title, 'root')
      for (const name of ['a', 'b']) await world.make(name, folder, name)
    }
    const [recorded, unrecorded] = folders.map(folder =>
      args.map(arg => (/^[ab*]$/.test(arg) ? `/${folder}/${arg}` : arg)),
    ) as [string[], string[]]
    const [first] = recorded.map(path => path.replace('*', 'a')) as [string]
    const before = await stateOf(first)
    const requests = await requestsOf(command, recorded)
    expect(await stateOf(first)).toMatchObject(change)
    expect(await requestsOf(command, unrecorded, {DRV_NO_HISTORY: '1'})).toBe(requests)
    await requestsOf('undo', ['--yes'])
    expect(await stateOf(first)).toEqual(before)
  },
)
