import {mkdirSync, readdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {rounds} from '../../support/size.js'
import {startWorld, type World} from '../../support/world.js'

/** Processes that create the same folders at the same time, as jobs of one machine do. */

const ROUNDS = rounds(1, 4)

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const atOnce = (...commands: ReadonlyArray<readonly [string, ...string[]]>) =>
  Promise.all(commands.map(([command, ...args]) => world.run(command, args)))

/** The paths of the folders in one, including duplicates. */
async function foldersIn(id: string, above = ''): Promise<string[]> {
  const found: string[] = []
  for (const child of await world.children(id)) {
    const path = `${above}/${child.title}`
    found.push(path, ...(await foldersIn(child.id, path)))
  }
  return found.sort()
}

test('mkdir -p creates each folder once, and all processes print its ID', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const top = await world.make(`round ${round}`, 'root')
    const line = ['mkdir', '-p', `/round ${round}/y/z`, '--format', 'ids'] as const
    const results = await atOnce(line, line, line)
    expect(results.map(({code}) => code)).toEqual([0, 0, 0])
    expect(await foldersIn(top)).toEqual(['/y', '/y/z'])
    expect(new Set(results.map(({stdout}) => stdout)).size).toBe(1)
  }
}, 60_000)

test('mkdir -p with folders that share a part of their paths', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const results = await atOnce(
      ['mkdir', '-p', `/shared ${round}/a/b`],
      ['mkdir', '-p', `/shared ${round}/a/c`, `/shared ${round}/d`],
      ['mkdir', '-p', `/shared ${round}/a`],
    )
    expect(results.map(({code}) => code)).toEqual([0, 0, 0])
    const tops = (await world.children('root')).filter(({title}) => title === `shared ${round}`)
    expect(tops).toHaveLength(1)
    expect(await foldersIn(tops[0].id)).toEqual(['/a', '/a/b', '/a/c', '/d'])
  }
}, 60_000)

test('plain mkdir creates one, and the other processes say that it exists', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const path = `/one ${round}`
    const results = await atOnce(['mkdir', path], ['mkdir', path], ['mkdir', path])
    expect(results.map(({code}) => code).sort()).toEqual([0, 12, 12])
    for (const {code, stderr} of results) if (code !== 0) expect(stderr).toContain('already')
    const titles = (await world.children('root')).map(({title}) => `/${title}`)
    expect(titles.filter(title => title === path)).toHaveLength(1)
  }
}, 60_000)

test('mkdir -p and push into the same new folder', async () => {
  const source = join(world.folder, 'source')
  mkdirSync(source)
  writeFileSync(join(source, 'a.txt'), 'a')
  for (let round = 0; round < ROUNDS; round++) {
    const results = await atOnce(
      ['push', `${source}/`, `/both ${round}/in`],
      ['mkdir', '-p', `/both ${round}/in`],
    )
    expect(results.map(({code}) => code)).toEqual([0, 0])
    const tops = (await world.children('root')).filter(({title}) => title === `both ${round}`)
    expect(tops).toHaveLength(1)
    expect(await foldersIn(tops[0].id)).toEqual(['/in', '/in/a.txt'])
  }
}, 60_000)

test('cp and mkdir -p into the same new folder', async () => {
  await world.run('mkdir', ['-p', '/from/inner'])
  for (let round = 0; round < ROUNDS; round++) {
    const results = await atOnce(
      ['cp', '/from/', `/copied ${round}`],
      ['mkdir', '-p', `/copied ${round}`],
    )
    expect(results.map(({code}) => code)).toEqual([0, 0])
    const tops = (await world.children('root')).filter(({title}) => title === `copied ${round}`)
    expect(tops).toHaveLength(1)
  }
}, 60_000)

test('a single run leaves no state file', async () => {
  const state = join(world.folder, 'state')
  const env = {XDG_STATE_HOME: state}
  expect((await world.run('mkdir', ['-p', '/alone/x', '/alone/y'], {env})).code).toBe(0)
  expect((await world.run('cp', ['/alone/', '/alone too'], {env})).code).toBe(0)
  expect(readdirSync(join(state, 'drv/trees'))).toEqual([])
})
