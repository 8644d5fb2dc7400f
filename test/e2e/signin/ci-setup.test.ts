import {spawn} from 'node:child_process'
import {chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {beforeEach, describe, expect, onTestFinished, test} from 'vitest'
import type {CiSetup} from '#lib/cli/account/ci-setup.js'
import {BINARY, freshEnvironment, temporaryFolder} from '../../support/drv.js'
import {runHere} from '../../support/here.js'
import {startRecorder} from '../../support/recorder.js'
import {startWorld} from '../../support/world.js'

/** `drv auth setup-ci`: its output works as printed. */

let home: string
let env: Record<string, string>
beforeEach(() => {
  const {path, remove} = temporaryFolder()
  onTestFinished(remove)
  home = path
  env = freshEnvironment(home)
})

const setup = (...flags: string[]) => runHere(['auth', 'setup-ci', ...flags], {env, cwd: home})

test('it sends nothing, stores nothing and needs no sign-in', async () => {
  const {url, received} = await startRecorder(() => ({}))
  env.DRV_BASE_URL = url
  const {code, stdout, stderr} = await setup()
  expect({code, stderr}).toEqual({code: 0, stderr: ''})
  expect(stdout).toContain(`${url}/settings/tokens`)
  const named = stdout
    .replaceAll(dirname(process.execPath), '/node/bin')
    .replaceAll(BINARY, '/bin/drv')
  expect(named).toRead()
  expect(stdout).toContain('DRV_TOKEN: ${{ secrets.DRV_TOKEN }}')
  expect(received).toEqual([])
  expect(existsSync(join(home, 'config'))).toBe(false)
  expect(existsSync(join(home, 'data'))).toBe(false)
})

test('it does not contain a token of the environment', async () => {
  env = {...env, DRV_BASE_URL: 'https://files.example.com/a%20b', DRV_TOKEN: 'drvp_canary'}
  for (const flags of [[], ['--json']]) {
    const {stdout, stderr} = await setup(...flags)
    expect(stdout + stderr).not.toContain('canary')
    // cron treats a percent sign as a line break.
    expect(stdout).toMatch(/DRV_BASE_URL='https:\S+a\\\\?%20b'/)
  }
})

test('the local service cannot be used by a CI system', async () => {
  const {code, stdout, stderr} = await setup()
  expect(code).toBe(0)
  expect(stderr).toRead()
  expect(stdout).toContain('DRV_BASE_URL: https://files.example.com\n')
  // The page offers two kinds of tokens, one of them without scopes.
  expect(stdout.split('\n2. ')[0]).toRead()
})

test('an invalid scope is rejected', async () => {
  expect((await setup('--scope', 'drive.writeonly')).code).not.toBe(0)
})

describe.each([
  ['drive.readonly', 'drv pull /Reports/ reports'],
  ['drive.file', 'drv files insert report.pdf'],
  ['drive', 'drv files insert report.pdf'],
  ['drive.metadata.readonly', 'drv files list'],
])('with %s', (scope, command) => {
  test('the CI step and the crontab line work', async () => {
    const world = await startWorld()
    onTestFinished(() => world.close())
    await world.make('a.txt', await world.make('Reports', 'root'), 'text')
    env = {...env, DRV_BASE_URL: world.url}
    const setUp = (await setup('--scope', scope, '--json')).json<CiSetup>()
    expect(setUp).toMatchObject({service: world.url, scopes: [scope], command})
    const token = await world.token(setUp.scopes)

    // The command of the step, as a workflow runner reads it.
    const [run = '', , ...variables] = setUp.step.split('\n')
    const named = variables.map(line => /^ +(\w+): "?(.*?)"?$/.exec(line)!.slice(1, 3))
    const given = Object.fromEntries(named) as Record<string, string>
    expect(Object.keys(given)).toEqual(Object.keys(setUp.variables))
    given.DRV_TOKEN = given.DRV_TOKEN!.replace('${{ secrets.DRV_TOKEN }}', token)
    expect(await shell('step', run.replace('- run: ', ''), given)).toBe(0)

    // The command of the line, as cron reads it.
    const line = setUp.cron.replace(/^(\S+ ){5}/, '').replaceAll('\\%', '%')
    expect(await shell('cron', line, {}, token)).toBe(0)
    if (scope !== 'drive.readonly') return
    for (const name of ['step', 'cron']) {
      expect(readFileSync(join(home, name, 'reports', 'a.txt'), 'utf8')).toBe('text')
    }
  })
})

/** Runs a line in a new home directory, with `drv` on the PATH and the token in a file. */
async function shell(
  name: string,
  line: string,
  variables: Record<string, string>,
  token?: string,
): Promise<number | null> {
  const place = join(home, name)
  mkdirSync(join(place, 'bin'), {recursive: true})
  const launcher = join(place, 'bin', 'drv')
  writeFileSync(launcher, `#!/bin/sh\nexec '${process.execPath}' '${BINARY}' "$@"\n`)
  chmodSync(launcher, 0o755)
  writeFileSync(join(place, 'report.pdf'), '%PDF-1.4\n')
  if (token !== undefined) writeFileSync(join(place, '.drv-token'), `${token}\n`, {mode: 0o600})
  const inner = freshEnvironment(place)
  const child = spawn('sh', ['-c', line], {
    // cron itself has neither drv nor a Node of nvm on its PATH.
    env: {
      ...inner,
      ...variables,
      PATH: name === 'cron' ? '/usr/bin:/bin' : `${join(place, 'bin')}:${inner.PATH}`,
    },
    cwd: place,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return new Promise(settle => child.once('close', settle))
}
