import {spawnSync} from 'node:child_process'
import {join} from 'node:path'
import {beforeEach, describe, expect, test} from 'vitest'
import {missingUser, OTHER_USER, sharedFolder} from '../../otheruser.js'
import {BINARY} from '../../support/drv.js'

/** A user without an entry in /etc/passwd and without SHELL, as in a container started with `--user`. */

let folder: string
beforeEach(({skip, onTestFinished}) => {
  skip(missingUser !== undefined, missingUser)
  const {path, remove} = sharedFolder()
  onTestFinished(remove)
  folder = path
})

function drv(command: string, env: Readonly<Record<string, string>>) {
  const {status, stdout, stderr} = spawnSync(process.execPath, [BINARY, ...command.split(' ')], {
    env: {PATH: process.env.PATH, NO_COLOR: '1', ...env},
    ...OTHER_USER,
    cwd: folder,
    encoding: 'utf8',
  })
  return {code: status, stdout, stderr}
}

describe('with a home directory', () => {
  test.each(['--version', 'auth list', 'api describe files.get', 'local user list', 'ls --help'])(
    '`drv %s` works',
    command => {
      const {code, stderr} = drv(command, {HOME: folder})
      expect({code, stderr}).toEqual({code: 0, stderr: ''})
    },
  )

  test('the local service works, and programs that it starts get a usable SHELL', () => {
    const token = drv('local token', {HOME: folder}).stdout.trim()
    const made = drv('mkdir /a --quiet', {HOME: folder, DRV_TOKEN: token})
    expect(made).toMatchObject({code: 0, stderr: ''})
    const run = drv('local run -- env', {HOME: folder})
    expect(run.stdout).toContain('SHELL=/bin/sh\n')
  })
})

test('without one, drv runs, and names the directory that it cannot determine', () => {
  expect(drv('--version', {})).toMatchObject({code: 0, stderr: ''})
  const {code, stderr} = drv('local token', {})
  expect(code).toBe(10)
  expect(stderr).toRead()
  expect(drv('local token', {XDG_DATA_HOME: join(folder, 'data')}).code).toBe(0)
})
