import {chmodSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {BINARY, runDrv} from '../../support/drv.js'
import {runHere} from '../../support/here.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
})
afterAll(() => world.close())

test('an alias replaces a line with placeholders, until it is deleted', async () => {
  const folder = await world.make('Aliased', 'root')
  const id = await world.make('one.txt', folder, 'one')
  expect((await world.run('alias set', ['ids', 'ls $1 --format ids'])).code).toBe(0)
  expect(await world.run('ids', ['/Aliased'])).toMatchObject({code: 0, stdout: `${id}\n`})
  const lacks = await world.run('ids')
  expect(lacks.code).toBe(2)
  expect(lacks.stderr).toRead()
  expect((await world.run('alias list')).stdout).toContain('ids\tls $1 --format ids\n')
  expect((await world.run('alias delete', ['ids'])).code).toBe(0)
  expect((await world.run('ids', ['/Aliased'])).code).toBe(2)
  expect((await world.run('alias delete', ['ids'])).code).toBe(5)
})

test('an alias cannot have the name of a command, must start with one, and is replaced only with --clobber', async () => {
  for (const words of [
    ['ls', 'tree'],
    ['files', 'ls'],
    ['x', 'frob'],
    ['-x', 'ls'],
    ['x', ''],
  ]) {
    const refused = await world.run('alias set', ['--', ...words])
    expect(refused.code).toBe(2)
    expect(refused.stderr).toRead()
  }
  expect((await world.run('alias set', ['x', '-'], {input: 'ls -R\n'})).code).toBe(0)
  expect((await world.run('alias set', ['x', 'ls'])).code).toBe(12)
  expect((await world.run('alias set', ['x', 'ls', '--clobber'])).code).toBe(0)
  expect((await world.run('alias list', ['--json'])).json()).toContainEqual({
    alias: 'x',
    line: 'ls',
  })
})

/** The environment of a shell with this drv on its PATH. */
function shellEnvironment(): Readonly<Record<string, string>> {
  const bin = join(world.folder, 'bin')
  mkdirSync(bin, {recursive: true})
  const drv = join(bin, 'drv')
  writeFileSync(drv, `#!/bin/sh\nexec '${process.execPath}' '${BINARY}' "$@"\n`)
  chmodSync(drv, 0o755)
  return {...world.env, PATH: `${bin}:${process.env.PATH}`}
}

test('a shell alias is run by sh, with its arguments and its exit code', async () => {
  const env = shellEnvironment()
  const folder = await world.make('Piped', 'root')
  await world.make('a.txt', folder, 'a')
  await world.make('b.txt', folder, 'b')
  const set = await world.run('alias set', ['first', '!drv ls "$1" --columns title | head -n 1'])
  expect(set).toMatchObject({code: 0})
  expect(set.stderr).toRead()
  expect(await runDrv(['first', '/Piped'], {env})).toMatchObject({code: 0, stdout: 'a.txt\n'})
  await world.run('alias set', ['all', 'printf "%s\\n" "$@"; exit 7', '--shell'])
  expect(await runDrv(['all', 'a b', '-n'], {env})).toMatchObject({code: 7, stdout: 'a b\n-n\n'})
  const typed = await runDrv(['cat-in'], {env, input: ''})
  expect(typed.code).toBe(2)
  await world.run('alias set', ['cat-in', '!cat'])
  expect(await runDrv(['cat-in'], {env, input: 'typed'})).toMatchObject({stdout: 'typed'})
  expect((await world.run('alias set', ['empty', '!'])).code).toBe(2)
})

test('a command takes precedence over an alias of the same name', async () => {
  const file = join(
    world.env.XDG_CONFIG_HOME ?? join(world.env.HOME!, '.config'),
    'drv/aliases.json',
  )
  await world.run('alias set', ['other', 'ls /', '--clobber'])
  const before = readFileSync(file, 'utf8')
  writeFileSync(file, JSON.stringify({df: '!echo harm', files: '!echo harm', fine: 'ls /'}))
  expect((await world.run('df')).stdout).not.toContain('harm')
  expect((await world.run('files list')).stdout).not.toContain('harm')
  expect((await world.run('fine')).code).toBe(0)
  writeFileSync(file, before)
})

test('aliases are imported from YAML or a list, all or none, and all are deleted', async () => {
  await world.run('alias delete', ['--all'])
  const yaml = 'mine: find / --owner me\ntop: "!drv ls | head"\n'
  expect((await world.run('alias import', [world.file('aliases.yml', yaml)])).code).toBe(0)
  const list = await world.run('alias list', ['--json'])
  expect(list.json()).toEqual([
    {alias: 'mine', line: 'find / --owner me'},
    {alias: 'top', line: '!drv ls | head'},
  ])
  expect((await world.run('alias import', ['-'], {input: list.stdout})).code).toBe(12)
  expect((await world.run('alias import', ['--clobber'], {input: list.stdout})).code).toBe(0)
  for (const input of [
    'new: ls\nls: tree\n',
    '- 1',
    '- line: ls',
    'a: 1',
    '',
    'a: [',
    'new: frob',
  ]) {
    const refused = await world.run('alias import', ['-'], {input})
    expect(refused.code).toBe(2)
    expect(refused.stderr).toRead()
  }
  expect((await world.run('alias delete', ['mine', 'nope'])).code).toBe(5)
  expect((await world.run('alias list', ['--json'])).json()).toHaveLength(2)
  expect((await world.run('alias delete', ['mine', 'top'])).code).toBe(0)
  expect((await world.run('alias delete', ['--all'])).code).toBe(0)
  expect((await world.run('alias delete')).code).toBe(2)
  expect((await world.run('alias list', ['--json'])).json()).toEqual([])
})

test('Tab completes aliases, and after one the arguments of its line', async () => {
  await world.run('alias set', ['mine', 'find / --owner me'])
  await world.run('alias set', ['by', 'ls $1 --format'])
  const asked = async (...words: string[]) => {
    const {stdout} = await runDrv(['__complete', 'zsh', ...words], {env: world.env})
    return stdout.split('\n').slice(1, -1)
  }
  expect(await asked('mi')).toEqual(['+mine\tfind / --owner me'])
  expect(await asked('mine', '--starr')).toEqual([expect.stringMatching(/^\+--starred\t/)])
  expect(await asked('by', '/', 'nd')).toEqual(['+ndjson'])
  expect(await asked('alias', 'delete', 'm')).toEqual(['+mine\tfind / --owner me'])
  await world.run('alias delete', ['--all'])
})
