import {readFileSync} from 'node:fs'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {aliasesOf} from '#lib/cli/help/command-alias.js'
import type {Manifest} from '#lib/cli/help/manifest.js'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

/** Words of other tools that are hidden commands. */

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
  await world.make('a.txt', await world.make('tree', 'root'), 'one\n')
})
afterAll(() => world.close())

const manifest = new URL('../../../oclif.manifest.json', import.meta.url)
const commands = Object.values(
  (JSON.parse(readFileSync(manifest, 'utf8')) as Pick<Manifest, 'commands'>).commands,
)
const aliases = aliasesOf(commands)

test('no alias is a command or a topic, or exists twice', () => {
  const names = commands.map(({id}) => id.replaceAll(':', ' '))
  for (const alias of Object.keys(aliases)) {
    const isTaken = (name: string) => name === alias || name.startsWith(`${alias} `)
    expect(names.filter(isTaken), alias).toEqual([])
  }
  const all = commands.flatMap(({hiddenAliases = []}) => hiddenAliases)
  expect(Object.keys(aliases)).toHaveLength(all.length)
})

test.each(Object.entries(aliases))('drv %s is drv %s', async (alias, line) => {
  const help = await world.run('help', alias.split(' '))
  expect(help).toMatchObject({code: 0, stderr: ''})
  const [command] = line.split(' --')
  expect(help.stdout).toBe((await world.run(`help ${command!.replace(/ -\w$/, '')}`)).stdout)
})

test.each([
  ['list /tree', /a\.txt/],
  ['ll /tree', /a\.txt/],
  ['files ls /tree', /a\.txt/],
  ['search a', /a\.txt/],
  ['-q info /tree/a.txt --columns title', /a\.txt/],
  ['apps ls', /^/],
  ['drives create --name Sales', /Sales/],
  ['list --help', /^List files and folders/],
])('%s', async (line, out) => {
  const {code, stdout} = await world.run(line)
  expect(code).toBe(0)
  expect(stdout).toMatch(out)
})

test('help of drv lists none of them', async () => {
  const {stdout} = await world.run('--help')
  expect(stdout).not.toMatch(/^ +(upload|download|whoami|delete)\b/m)
  expect(stdout).not.toMatch(/\b(whoami|fetch|ren)\b/)
})

test('a user alias takes precedence, and may start with such a word', async () => {
  await world.drv('alias set', 'delete', 'list /tree')
  const {code, stdout} = await world.run('delete')
  expect(code).toBe(0)
  expect(stdout).toMatch(/a\.txt/)
  await world.run('alias delete', ['delete'])
})

test('no alias deletes permanently', () => {
  const harmful = Object.entries(aliases).filter(([, line]) => {
    const {effect} = commands.find(({id}) => line.startsWith(id.replaceAll(':', ' ')))!
    return effect === 'destroys' || line.includes('--permanently') || line.includes('--delete')
  })
  expect(harmful).toEqual([])
})
