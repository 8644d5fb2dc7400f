import {chmodSync, existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {createRequire} from 'node:module'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {installation, ROOT, unknown, working} from '../../support/installation.js'

/** The built bundle, which contains the whole source. */

interface Start {
  load(file: string): {
    readonly bundle: {readonly commands: Readonly<Record<string, {run?: unknown}>>}
  }
}

test('every command of the manifest is in the bundle, and no other', () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'oclif.manifest.json'), 'utf8')) as {
    commands: Record<string, unknown>
  }
  const {load} = createRequire(import.meta.url)('../../../dist/start.cjs') as Start
  const {commands} = load(join(ROOT, 'dist/drv.cjs')).bundle
  expect(Object.keys(commands).sort()).toEqual(Object.keys(manifest.commands).sort())
  for (const id of Object.keys(commands)) expect(typeof commands[id]!.run, id).toBe('function')
})

test('the index of commands that every start reads equals the manifest', () => {
  const read = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as unknown
  const {commands} = read('oclif.manifest.json') as {
    commands: Record<string, {summary?: string; args: object}>
  }
  const index = read('dist/commands.json') as Array<{id: string; summary?: string; args: object}>
  const shown = (id: string, {summary, args}: {summary?: string; args: object}) =>
    JSON.stringify([id, summary, Object.keys(args)])
  expect(index.map(command => shown(command.id, command)).sort()).toEqual(
    Object.entries(commands)
      .map(([id, command]) => shown(id, command))
      .sort(),
  )
})

test('runs for a user unknown to the system, in an environment without a shell', () => {
  const {home, drv} = installation()
  const unknownUser = join(home, 'unknown.cjs')
  const lines = [
    "const os = require('node:os')",
    "os.userInfo = () => { throw new Error('uv_os_get_passwd returned ENOENT') }",
  ]
  writeFileSync(unknownUser, lines.join('\n'))
  expect(drv('auth list', ['--require', unknownUser])).toMatchObject({status: 0, stderr: ''})
})

test('needs no oclif package except the one in the bundle', () => {
  const {root, drv} = installation()
  const {dependencies} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  expect(Object.keys(dependencies).filter(name => name.startsWith('@oclif/'))).toEqual([])
  const core = /"node_modules\/@oclif\/core\/lib\/config\/config\.js"\(/g
  expect(readFileSync(join(root, 'dist/drv.cjs'), 'latin1').match(core)).toHaveLength(1)
  expect(existsSync(join(root, 'node_modules'))).toBe(false)
  expect(drv('--version')).toEqual(working)
  expect(drv('flies get')).toEqual(unknown)
  expect(drv('help files get').stdout).toContain('  drv files get')
  expect(drv('completion bash').stdout).toContain('complete -o nospace')
})

test('rarely used packages are not in the bundle, neither in whole nor in part', () => {
  const text = readFileSync(join(ROOT, 'dist/drv.cjs'), 'latin1')
  const {dependencies} = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  expect(text).toContain('require("csv-stringify/sync")')
  for (const name of ['jq-wasm', 'csv-stringify', 'libsql', '@inquirer/prompts']) {
    expect(dependencies).toHaveProperty([name])
    expect(text).not.toContain(`"node_modules/${name}/`)
  }
})

test('replaces Intl.ListFormat only where got formats two errors', () => {
  const text = readFileSync(join(ROOT, 'dist/drv.cjs'), 'latin1')
  const makers = text.match(/\w+ ?= ?new (Intl\.)?ListFormat\b/g)
  expect(makers).toEqual(['andFormatter=new ListFormat', 'orFormatter=new ListFormat'])
})

test('an installation that nobody can write to works, and stays unchanged', () => {
  const {root, drv} = installation()
  const before = readdirSync(root, {recursive: true})
  chmodSync(join(root, 'dist'), 0o555)
  expect(drv('--version')).toEqual(working)
  expect(drv('help files get').stdout).toContain('  drv files get')
  expect(readdirSync(root, {recursive: true})).toEqual(before)
  chmodSync(join(root, 'dist'), 0o755)
})
