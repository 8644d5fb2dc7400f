import {existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {findToken, revokeToken} from '#lib/service/oauth/store/tokens.js'
import {openStore} from '#lib/service/store/index.js'
import {runDrv} from '../../support/drv.js'
import {runHere} from '../../support/here.js'
import {localToken, startWorld, type World} from '../../support/world.js'

/** Tokens from the user's own command, at a real service. */

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
})
afterAll(() => world.close())

/** An environment whose token comes from a shell command. */
const withCommand = (line: string) => ({
  env: {...world.env, DRV_TOKEN: '', DRV_TOKEN_COMMAND: line},
})
const tokenFile = async (name: string, token?: string) =>
  world.file(name, token ?? (await localToken(world.data)))

test('drv uses the token that a command prints, and does not store it', async () => {
  const file = await tokenFile('token')
  const token = readFileSync(file, 'utf8')
  const {env} = withCommand(`cat ${file}`)
  const listed = await runHere(['ls', '/', '--debug'], {env})
  expect(listed.code).toBe(0)
  expect(listed.stdout + listed.stderr).not.toContain(token)
  expect((await runHere(['auth', 'token'], {env})).stdout).toBe(`${token}\n`)
  const status = await runHere(['auth', 'status', '--json'], {env})
  expect(status.json()).toMatchObject([{source: 'DRV_TOKEN_COMMAND', works: true}])
  const doctor = await runHere(['auth', 'doctor', '--json'], {env})
  expect(doctor.json()).toContainEqual(
    expect.objectContaining({
      name: 'token',
      state: 'ok',
      found: expect.stringContaining('COMMAND'),
    }),
  )
  for (const folder of ['config', 'state', 'cache', '.config', '.local', '.cache']) {
    const path = join(world.env.HOME!, folder)
    const files = existsSync(path) ? readdirSync(path, {recursive: true, withFileTypes: true}) : []
    for (const entry of files.filter(entry => entry.isFile())) {
      expect(readFileSync(join(entry.parentPath, entry.name), 'utf8')).not.toContain(token)
    }
  }
})

test('DRV_TOKEN takes precedence over the command, and the command over the stored token', async () => {
  const {env} = withCommand('exit 1')
  expect((await runHere(['ls', '/'], {env: {...env, DRV_TOKEN: world.env.DRV_TOKEN!}})).code).toBe(
    0,
  )
  const failed = await runHere(['ls', '/'], {env})
  expect(failed.code).toBe(4)
  expect(failed.stderr).toRead()
})

test('after a rejection, the command runs once more', async () => {
  const [dead, good] = [await localToken(world.data), await localToken(world.data)]
  const store = openStore(world.data)
  revokeToken(store, findToken(store, dead, Date.now())!.id, Date.now())
  store.close()
  const runs = join(world.folder, 'runs')
  writeFileSync(runs, '')
  const counting = (then: string) =>
    withCommand(`echo x >> ${runs}; [ $(wc -l < ${runs}) = 1 ] && echo ${dead} || echo ${then}`)
  expect((await runHere(['ls', '/'], counting(good))).code).toBe(0)
  expect(readFileSync(runs, 'utf8')).toBe('x\nx\n')

  writeFileSync(runs, '')
  const refused = await runHere(['ls', '/'], counting(dead))
  expect(refused.code).toBe(4)
  expect(refused.stderr).toRead()
  expect(readFileSync(runs, 'utf8')).toBe('x\nx\n')
})

test('the command runs once for many requests, and only the user sees its standard error', async () => {
  const file = await tokenFile('noisy')
  const runs = join(world.folder, 'noisy-runs')
  const line = `echo x >> ${runs}; echo "Using the noisy account" >&2; cat ${file}`
  const many = Array.from({length: 60}, (_, index) => `/many-${index}`)
  const {code, stdout, stderr} = await runDrv(['mkdir', ...many, '--json'], withCommand(line))
  expect(code).toBe(0)
  expect(readFileSync(runs, 'utf8')).toBe('x\n')
  expect(stderr).toContain('Using the noisy account')
  expect(stdout).not.toContain('noisy')
})

test('the command may be drv itself', async () => {
  const {env} = withCommand(
    `DRV_TOKEN=${world.env.DRV_TOKEN!} ${process.execPath} bin/run.js auth token --json`,
  )
  const {code, stderr} = await runHere(['ls', '/'], {env})
  expect([code, stderr]).toEqual([0, ''])
})

test('sign-in reports that the command takes precedence', async () => {
  const token = await localToken(world.data)
  const {env} = withCommand('echo other')
  const line = ['auth', 'login', '--with-token', '--insecure-storage']
  const {code, stderr} = await runHere(line, {env, input: token})
  expect(code).toBe(0)
  expect(stderr).toRead()
  expect((await runHere(['auth', 'logout'], {env})).stderr).toRead()
})
