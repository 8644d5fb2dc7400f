import {execFile} from 'node:child_process'
import {existsSync, mkdtempSync, rmSync, symlinkSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import {promisify} from 'node:util'
import {expect, onTestFinished, test, vi} from 'vitest'
import {
  dataDirectory,
  launcherEnvironment,
  temporaryDirectory,
  writeLauncher,
} from '#lib/cli/context/local-service.js'

test('the environment of a command has one service and no other DRV_ variables', () => {
  const outer = {
    PATH: '/usr/bin',
    HOME: '/home/ada',
    DRV_PROFILE: 'work',
    DRV_CLIENT_ID: 'x',
    DRV_TOKEN: 'outer',
  }
  const inner = {url: 'http://127.0.0.1:1', token: 'inner', config: '/tmp/c', bin: '/tmp/b'}
  expect(launcherEnvironment(outer, inner)).toEqual({
    PATH: expect.stringMatching(/^\/tmp\/b[:;]\/usr\/bin$/),
    HOME: '/home/ada',
    DRV_BASE_URL: 'http://127.0.0.1:1',
    DRV_AUTH_URL: 'http://127.0.0.1:1',
    DRV_TOKEN: 'inner',
    DRV_CONFIG_DIR: '/tmp/c',
  })
})

test('accepts a path that cannot be read, which the service reports', () => {
  const loop = join(mkdtempSync(join(tmpdir(), 'drv-')), 'loop')
  onTestFinished(() => rmSync(dirname(loop), {recursive: true}))
  symlinkSync(loop, loop)
  expect(dataDirectory(join(loop, 'x'), {})).toBe(join(loop, 'x'))
  expect(dataDirectory(join(import.meta.filename, 'x'), {})).toBe(join(import.meta.filename, 'x'))
})

test('the data directory is --data, or the default one', () => {
  expect(dataDirectory('/srv/data', {})).toBe('/srv/data')
  expect(dataDirectory('data', {})).toBe(join(process.cwd(), 'data'))
  expect(dataDirectory(undefined, {XDG_DATA_HOME: '/srv'})).toBe(join('/srv', 'drv', 'local'))
})

test.each([
  ['', 'Invalid --data: must not be empty.'],
  [import.meta.filename, `Invalid --data: ${import.meta.filename} is not a directory.`],
])('--data rejects "%s"', (flag, sentence) => {
  expect(() => dataDirectory(flag, {})).toThrow(sentence)
})

test('an unusable temporary directory is a clear error', async () => {
  vi.stubEnv('TMPDIR', '/no/such')
  onTestFinished(() => void vi.unstubAllEnvs())
  await expect(temporaryDirectory()).rejects.toRead()
})

test('a launcher starts a program with spaces and quotes in its path', async () => {
  const {path, remove} = await temporaryDirectory()
  try {
    const script = "console.log(JSON.stringify(process.argv.slice(1)) + ' it\\'s me')"
    await writeLauncher(join(path, 'bin'), [process.execPath, '-e', script, '--'])
    const {stdout} = await promisify(execFile)(join(path, 'bin', 'drv'), ['a b', '--json'])
    expect(stdout).toBe(`["a b","--json"] it's me\n`)
  } finally {
    await remove()
  }
  expect(existsSync(path)).toBe(false)
})
