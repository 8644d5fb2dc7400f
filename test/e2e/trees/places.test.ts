import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

/** Shared drives, the trash and shared files as arguments of all commands. */

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
  const ann = await world.as('ann@example.com')
  await world.make('own.txt', 'root', 'own')
  await world.drv('drives insert', '--name', 'Fin')
  await world.drv('mkdir', 'drive:Fin/plans')
  await world.drv('push', world.file('plan.txt', 'plan'), 'drive:Fin/plans')
  const old = await world.make('old', 'root')
  await world.make('old.txt', old, 'old')
  await world.drv('rm', '/old')
  const hers = await ann.make('hers', 'root')
  await ann.make('hers.txt', hers, 'hers')
  // Only users who can change a file can list its permissions.
  await ann.drv('share', hers, 'local@example.com', '--role', 'writer')
})
afterAll(() => world.close())

const LISTS = {
  'drive:': 'drive:Fin/plans/plan.txt',
  'trash:': 'trash:/old/old.txt',
  'shared:': 'shared:/hers/hers.txt',
} as const
const FOLDERS = {'drive:Fin/plans': 'plan', 'trash:/old': 'old', 'shared:/hers': 'hers'} as const

test.each(
  ['find', 'ls -R', 'tree', 'md5sum', 'du'].flatMap(command =>
    Object.entries(LISTS).map(([list, path]) => [command, list, path] as const),
  ),
)('%s %s lists %s recursively', async (command, list, path) => {
  const {code, stdout, stderr} = await world.run(command, [list])
  expect(code, stderr).toBe(0)
  // du has a line only for each item in the list.
  const below = command === 'du' ? path.split('/').slice(0, list === 'drive:' ? 1 : 2) : [path]
  expect(stdout).toContain(below.join('/'))
  expect(stdout).not.toContain('own.txt')
})

test.each(
  ['find', 'ls', 'ls -R', 'tree', 'du', 'md5sum', 'stat', 'stat -', 'share -R'].flatMap(command =>
    Object.entries(FOLDERS).map(([folder, name]) => [command, folder, name] as const),
  ),
)('%s %s resolves the item', async (command, folder, name) => {
  const {code, stdout, stderr} = command.endsWith(' -')
    ? await world.run(command, [], {input: `${folder}/${name}.txt\n`})
    : await world.run(command, [folder])
  expect(code, stderr).toBe(0)
  // A file that only its owner can access has no grant to show.
  if (command !== 'share -R' || name !== 'old') expect(stdout).toContain(folder)
})

test.each(Object.entries(FOLDERS))('check and md5sum -c take files of %s', async (folder, name) => {
  const local = world.file(`${name}.txt`, name)
  expect((await world.run('check', [local, `${folder}/${name}.txt`])).code).toBe(0)
  const {stdout} = await world.run('md5sum', [`${folder}/${name}.txt`])
  expect((await world.run('md5sum -c -', [], {input: stdout})).stdout).toContain(': OK')
})

test.each([
  ['drive:Fin/plans/', 'plan'],
  ['shared:/hers/', 'hers'],
  ['trash:/old/old.txt', 'old'],
])('pull downloads %s', async (word, name) => {
  const local = join(world.folder, `from-${name}`)
  expect(await world.drv('pull', word, local)).toMatchObject({created: 1})
  const file = word.endsWith('/') ? join(local, `${name}.txt`) : local
  expect(readFileSync(file, 'utf8')).toBe(name)
})
