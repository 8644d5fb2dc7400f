import {createHash} from 'node:crypto'
import {existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {beforeEach, describe, expect, onTestFinished, test} from 'vitest'
import {createService, type ServiceOptions} from '#lib/service/index.js'
import {createOrganization} from '#lib/service/oauth/store/organizations.js'
import {freshEnvironment, runDrv, temporaryFolder} from '../../support/drv.js'
import {runHere} from '../../support/here.js'

/** `drv local clock`, `token`, `approve` and `reset`, with and without a service that runs on the data. */

let env: Record<string, string>
let data: string
beforeEach(() => {
  const {path, remove} = temporaryFolder()
  onTestFinished(remove)
  data = join(path, 'service')
  env = freshEnvironment(path)
})

const local = (...args: string[]) => runHere(['local', ...args, '--data', data], {env})

/** In a process of its own: this one keeps the database open. */
const apart = (...args: string[]) => runDrv(['local', ...args, '--data', data], {env})

async function start(options: Partial<ServiceOptions> = {}) {
  const service = await createService({data, isControlled: true, pollInterval: 1, ...options})
  let isOpen = true
  const close = async () => {
    if (isOpen) await service.close()
    isOpen = false
  }
  onTestFinished(close)
  const about = async (token: string) => {
    const headers = {authorization: `Bearer ${token}`}
    return (await fetch(`${service.url}/drive/v2/about`, {headers})).status
  }
  return {...service, close, about}
}

const MINUTE = 60_000

describe('clock', () => {
  test('shows the time of the running service and moves it forwards', async () => {
    const {clock, url, about} = await start()
    const token = (await local('token', '--expires', '15m')).stdout.trim()
    expect(await about(token)).toBe(200)
    const shown = (await local('clock', '--json')).json<{url: string; time: string}>()
    expect(shown.url).toBe(url)
    expect(Math.abs(Date.parse(shown.time) - clock.now())).toBeLessThan(MINUTE)

    const dry = await local('clock', '+16m', '--dry-run')
    expect(dry.stdout).toRead()
    const before = clock.now()
    expect((await local('clock', '+16m')).code).toBe(0)
    expect(clock.now() - before).toBeGreaterThanOrEqual(16 * MINUTE)
    expect(await about(token)).toBe(401)

    // A new token lives by the clock of the service.
    expect(await about((await local('token', '--expires', '15m')).stdout.trim())).toBe(200)
    for (const past of ['real', '2020-01-01']) {
      const refused = await local('clock', past)
      expect(refused.code).toBe(12)
      expect(refused.stderr).toRead()
    }
    const later = await local('clock', '2100-01-01T00:00:00Z', '--jq', '.time')
    expect(later.stdout).toMatch(/^2100-01-01T00:00:/)
  })

  test('moves to the time of this machine', async () => {
    const {clock} = await start({clock: () => Date.now() - 60 * MINUTE})
    expect((await local('clock', 'real')).code).toBe(0)
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(MINUTE)
  })

  test('needs a service that runs, and a time', async () => {
    const missing = await local('clock', '+1h')
    expect(missing.code).toBe(8)
    expect(missing.stderr.replaceAll(data, 'DIR')).toRead()
    for (const text of ['16m', 'soon', '+', '']) {
      expect((await local('clock', text)).code, text).toBe(2)
    }
    expect((await local('clock', '16m')).stderr).toRead()
  })
})

test('token has a lifetime, with and without a service', async () => {
  const stopped = (
    await local('token', '--expires', '30s', '--scope', 'drive.readonly')
  ).stdout.trim()
  const {about, clock} = await start()
  expect(await about(stopped)).toBe(200)
  clock.moveTo(clock.now() + MINUTE)
  expect(await about(stopped)).toBe(401)
  const refused = await local('token', '--expires', 'soon')
  expect(refused.code).toBe(2)
  expect(refused.stderr).toRead()
})

describe('approve', () => {
  test('goes by the clock of the service', async () => {
    const {url, clock} = await start()
    const body = new URLSearchParams({client_id: 'drv-cli'})
    const headers = {accept: 'application/json'}
    const answer = await fetch(`${url}/login/device/code`, {method: 'POST', body, headers})
    const {user_code} = (await answer.json()) as {user_code: string}
    clock.moveTo(clock.now() + 16 * MINUTE)
    const {code, stderr} = await local('approve', user_code)
    expect(code).toBe(12)
    expect(stderr.replace(user_code, 'CODE')).toRead()
  })

  test('authorizes a token for single sign-on', async () => {
    const {url, store, clock} = await start()
    const token = (await local('token', '--user', 'ada')).stdout.trim()
    const headers = {authorization: `Bearer ${token}`, 'content-type': 'application/json'}
    const made = await fetch(`${url}/drive/v2/drives?requestId=1`, {
      method: 'POST',
      headers,
      body: '{"name": "Plans"}',
    })
    const {id} = (await made.json()) as {id: string}
    createOrganization(store, {name: 'acme', sso: true, drives: [id]}, clock.now())
    const read = () => fetch(`${url}/drive/v2/drives/${id}`, {headers})
    const refused = await read()
    expect(refused.status).toBe(403)
    const address = refused.headers.get('x-service-sso')!.split('url=')[1]!
    expect((await local('approve', address, '--deny', '--json')).json()).toEqual({
      organization: 'acme',
      user: 'ada',
      approved: false,
    })
    expect((await read()).status).toBe(403)
    expect((await local('approve', address, '--format', 'table')).stderr).toRead()
    expect((await read()).status).toBe(200)
    const unknown = await local('approve', `${url}/orgs/acme/sso?authorization_request=x`)
    expect(unknown.code).toBe(5)
    expect(unknown.stderr).toRead()
  })
})

describe('reset', () => {
  test('deletes the data that drv has made, and nothing else', async () => {
    await apart('user', 'create', 'ada')
    writeFileSync(join(data, 'notes.txt'), 'mine')
    const unconfirmed = await local('reset')
    expect(unconfirmed.code).toBe(2)
    expect(unconfirmed.stderr).toRead()
    const dry = await local('reset', '--dry-run')
    expect(dry.stdout.replace(/\(.*\)/, '(SIZE)')).toRead()
    expect(readdirSync(data)).toContain('drv.db')
    const done = await local('reset', '--yes')
    expect(done.code).toBe(0)
    expect(done.stderr.replaceAll(data, 'DIR').replace(/\(.*\)/, '(SIZE)')).toRead()
    expect(readdirSync(data)).toEqual(['notes.txt'])
    const again = await local('reset', '--yes')
    expect(again.code).toBe(1)
    expect(again.stderr.replaceAll(data, 'DIR')).toRead()
    expect(readFileSync(join(data, 'notes.txt'), 'utf8')).toBe('mine')
  })

  test('accepts an empty directory, refuses a missing and a foreign one', async () => {
    expect((await local('reset', '--yes')).code).toBe(1)
    expect(existsSync(data)).toBe(false)
    mkdirSync(data)
    const empty = await local('reset', '--yes')
    expect(empty.code).toBe(0)
    expect(empty.stderr.replaceAll(data, 'DIR')).toRead()
    writeFileSync(join(data, 'drv.db'), 'not from drv')
    expect((await local('reset', '--yes')).code).toBe(1)
    expect(readdirSync(data)).toEqual(['drv.db'])
  })

  test('works with a damaged database', async () => {
    await apart('token')
    writeFileSync(join(data, 'drv.db'), createHash('sha512').update('x').digest())
    expect((await local('reset', '--yes')).code).toBe(0)
    expect(readdirSync(data)).toEqual([])
    expect((await local('token')).code).toBe(0)
  })

  test('refuses data that a service uses', async () => {
    const {close, url} = await start()
    const refused = await local('reset', '--yes')
    expect(refused.code).toBe(12)
    expect(refused.stderr.replaceAll(data, 'DIR').replace(url, 'URL')).toRead()
    await close()
    // It has no file about itself: the database tells.
    const other = await start({isControlled: false})
    const locked = await local('reset', '--yes')
    expect(locked.code).toBe(1)
    expect(locked.stderr.replaceAll(data, 'DIR')).toRead()
    await other.close()
  })
})

test('run --approve lets the command sign in', async () => {
  const script =
    'unset DRV_TOKEN; drv auth login --insecure-storage -q 2>/dev/null && drv about get --jq .user.emailAddress > email'
  const run = (approve: string) => {
    const line = ['local', 'run', '--approve', approve, '--', 'sh', '-c', script]
    return runHere(line, {env, cwd: env.HOME})
  }
  mkdirSync(env.HOME!, {recursive: true})
  expect((await run('deny')).code).toBe(4)
  expect((await run('')).code).toBe(2)
  expect((await run('ada')).code).toBe(0)
  expect(readFileSync(join(env.HOME!, 'email'), 'utf8')).toBe('ada@example.com\n')
})
