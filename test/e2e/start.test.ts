import {spawnSync} from 'node:child_process'
import {
  chmodSync,
  cpSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import {createRequire} from 'node:module'
import {basename, join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect, onTestFinished, test} from 'vitest'
import {freshEnvironment, temporaryFolder} from './drv.js'

/** The built bundle: it stands for all of the source, and its code cache is used only where it fits. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

interface Bundle {
  readonly cacheFile: string
  load(cache?: Buffer): {
    readonly script: {readonly cachedDataRejected?: boolean}
    readonly exports: {readonly commands: Readonly<Record<string, {run?: unknown}>>}
  }
}

const {cacheFile, load} = createRequire(import.meta.url)('../../bin/bundle.js') as Bundle

test('the code cache of the build fits', () => {
  expect(load(readFileSync(cacheFile)).script.cachedDataRejected).toBe(false)
})

test('every command of the manifest is in the bundle, and no other', () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'oclif.manifest.json'), 'utf8')) as {
    commands: Record<string, unknown>
  }
  const {commands} = load().exports
  expect(Object.keys(commands).sort()).toEqual(Object.keys(manifest.commands).sort())
  for (const id of Object.keys(commands)) expect(typeof commands[id]!.run, id).toBe('function')
})

/** An installation of its own, to damage. */
function installation() {
  const {path, remove} = temporaryFolder()
  onTestFinished(remove)
  const root = join(path, 'drv')
  for (const part of ['bin', 'dist', 'package.json', 'oclif.manifest.json']) {
    cpSync(join(ROOT, part), join(root, part), {recursive: true})
  }
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'))
  const env = freshEnvironment(join(path, 'home'))
  const drv = (...args: string[]) => {
    const run = spawnSync(process.execPath, [join(root, 'bin/run.js'), ...args], {env})
    return {status: run.status, stdout: String(run.stdout), stderr: String(run.stderr)}
  }
  return {root, cache: join(root, 'dist', basename(cacheFile)), drv}
}

const working = {status: 0, stdout: expect.stringMatching(/^drv\/\d/), stderr: ''}

test('a cache that does not fit is left aside', () => {
  const {cache, drv} = installation()
  const whole = readFileSync(cache)
  for (const content of [Buffer.alloc(0), Buffer.from('none'), whole.subarray(0, 100_000)]) {
    writeFileSync(cache, content)
    expect(drv('--version')).toEqual(working)
  }
  rmSync(cache)
  expect(drv('--version')).toEqual(working)
  expect(drv('flies', 'get')).toEqual({
    status: 2,
    stdout: '',
    stderr: 'Error: There is no command `drv flies get`.\nDid you mean `drv files get`?\n',
  })
})

test('an installation that nobody may write to works, and stays as it is', () => {
  const {root, drv} = installation()
  const before = readdirSync(root, {recursive: true})
  chmodSync(join(root, 'dist'), 0o555)
  expect(drv('--version')).toEqual(working)
  expect(drv('help', 'files', 'get').stdout).toContain('$ drv files get')
  expect(drv('autocomplete', 'script', 'bash').stdout).toContain('DRV_AC_BASH_SETUP_PATH=')
  expect(readdirSync(root, {recursive: true})).toEqual(before)
  chmodSync(join(root, 'dist'), 0o755)
})
