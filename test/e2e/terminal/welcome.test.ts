import {existsSync, mkdirSync, readdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {beforeEach, expect, onTestFinished, test} from 'vitest'
import {freshEnvironment, runDrv, temporaryFolder} from '../../support/drv.js'

/** `drv` without arguments, which sends nothing. */

let home: string
let env: Record<string, string>
beforeEach(() => {
  const {path, remove} = temporaryFolder()
  onTestFinished(remove)
  home = path
  env = freshEnvironment(home)
})

test('shows what drv is and the sign-in, and leaves no files', async () => {
  const {code, stdout, stderr} = await runDrv([], {env})
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toRead()
  expect(stdout).toContain('drv auth login')
  expect(readdirSync(home)).toEqual([])
})

test('uses neither the service nor the keychain', async () => {
  // Nothing listens there, and a keychain request would wait for its start.
  const address = 'https://127.0.0.1:9'
  mkdirSync(join(home, 'config/drv'), {recursive: true})
  const tokens = {[address]: {store: 'keychain', user: {login: 'ada'}}}
  const config = {profile: 'work', profiles: {work: {baseUrl: address, tokens}}}
  writeFileSync(join(home, 'config/drv/config.json'), JSON.stringify(config))
  const {code, stdout, stderr} = await runDrv([], {env})
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toRead()
})

test.each([
  ['a broken configuration', {}, '{'],
  ['a variable that is no address', {DRV_BASE_URL: 'nowhere'}, undefined],
  ['a token that is none', {DRV_TOKEN: 'two words'}, undefined],
])('%s is reported in a line, and the exit code is 0', async (_, more, config) => {
  if (config !== undefined) {
    mkdirSync(join(home, 'config/drv'), {recursive: true})
    writeFileSync(join(home, 'config/drv/config.json'), config)
  }
  const {code, stdout, stderr} = await runDrv([], {env: {...env, ...more}})
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toRead()
  expect(stdout).toContain('drv auth doctor')
  expect(stdout).not.toContain('two words')
  expect(existsSync(join(home, 'state'))).toBe(false)
})
