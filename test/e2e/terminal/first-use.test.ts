import {mkdirSync, statSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {beforeEach, describe, expect, onTestFinished, test} from 'vitest'
import {freshEnvironment, runDrv, temporaryFolder} from '../../support/drv.js'
import {missingTerminal, startAtTerminal} from '../../support/terminal.js'

/** The notice of a first command about the local service. */

const NOTE = /drv is using its local service/

let home: string
let env: Record<string, string>
let statePath: string
beforeEach(() => {
  const {path, remove} = temporaryFolder()
  onTestFinished(remove)
  home = path
  env = freshEnvironment(home)
  statePath = join(home, 'state/drv/embedded-told')
})

/** Runs drv at a terminal and returns its output. */
async function seen(args: readonly string[], more: Record<string, string> = {}) {
  const {ended, output} = startAtTerminal(args, {env: {...env, ...more}})
  const code = await ended
  return {code, text: output()}
}

const isKept = () => statSync(statePath, {throwIfNoEntry: false}) !== undefined

describe.skipIf(missingTerminal)('at a terminal', () => {
  test('the first command prints it, and no later one', async () => {
    const first = await seen(['ls'])
    expect(first.text).toMatch(NOTE)
    expect(first.text).toRead()
    expect(first.code).toBe(4)
    expect(statSync(statePath).mode & 0o777).toBe(0o600)
    expect((await seen(['ls'])).text).not.toMatch(NOTE)
  })

  test.each([
    ['--json', ['ls', '--json']],
    ['--format ndjson', ['ls', '--format', 'ndjson']],
    ['--quiet', ['ls', '-q']],
    ['a profile that is named', ['ls', '--profile', 'local']],
  ])('with %s it is postponed', async (_, args) => {
    expect((await seen(args)).text).not.toMatch(NOTE)
    expect(isKept()).toBe(false)
  })

  test('a configured profile prints none', async () => {
    mkdirSync(join(home, 'config/drv'), {recursive: true})
    writeFileSync(join(home, 'config/drv/config.json'), '{"profile": "local", "profiles": {}}')
    expect((await seen(['ls'])).text).not.toMatch(NOTE)
    expect(isKept()).toBe(false)
  })

  test('commands of the local service, and help, print none', async () => {
    const {code, text} = await seen(['local', 'user', 'list'])
    expect(code).toBe(0)
    expect(text).not.toMatch(NOTE)
    expect((await seen([])).text).not.toMatch(NOTE)
    expect(isKept()).toBe(false)
  })

  test('if it cannot be recorded, the command continues', async () => {
    writeFileSync(join(home, 'state'), 'no directory')
    const {code, text} = await seen(['ls'])
    expect(text).toMatch(NOTE)
    expect(code).toBe(4)
  })
})

test('in a pipe it is postponed', async () => {
  expect((await runDrv(['ls'], {env})).stderr).not.toMatch(NOTE)
  expect(isKept()).toBe(false)
})
