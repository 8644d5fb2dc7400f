import {once} from 'node:events'
import {createInterface} from 'node:readline'
import {beforeEach, expect, onTestFinished, test} from 'vitest'
import {createService, type Service} from '#lib/service/index.js'
import {suspendUser, userByLogin} from '#lib/service/store/users.js'
import {freshEnvironment, startDrv, temporaryFolder} from '../../support/drv.js'
import {runHere} from '../../support/here.js'
import {missingTerminal, startAtTerminal} from '../../support/terminal.js'

/** `drv local approve`: a code of `drv local serve` is approved without a browser. */

let service: Service
let env: Record<string, string>
let data: string
beforeEach(async () => {
  const {path, remove} = temporaryFolder()
  data = `${path}/service`
  service = await createService({data, pollInterval: 1})
  onTestFinished(async () => {
    await service.close()
    remove()
  })
  env = {...freshEnvironment(path), DRV_BASE_URL: service.url}
})

const approve = (...args: string[]) => runHere(['local', 'approve', ...args, '--data', data], {env})
const addUser = (login: string) =>
  runHere(['local', 'user', 'create', login, '--data', data], {env})

/** Starts a sign-in; returns its code, and a function that polls it. */
async function newCode() {
  const post = async (path: string, form: Record<string, string>) => {
    const body = new URLSearchParams({client_id: 'drv-cli', ...form})
    const headers = {accept: 'application/json'}
    const answer = await fetch(service.url + path, {method: 'POST', body, headers})
    return (await answer.json()) as Record<string, string>
  }
  const {user_code = '', device_code = ''} = await post('/login/device/code', {
    scope: 'drive.readonly',
  })
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
  return {code: user_code, poll: () => post('/login/oauth/access_token', {device_code, grant_type})}
}

/** The owner of a token. */
async function owner(token = ''): Promise<unknown> {
  const env = {...freshEnvironment(data), DRV_BASE_URL: service.url, DRV_TOKEN: token}
  return (await runHere(['about', 'get', '--jq', '.user.emailAddress'], {env})).stdout.trim()
}

test('the only user approves, and the waiting sign-in continues', async () => {
  const line = ['auth', 'login', '--insecure-storage', '--json', '--scope', 'drive.readonly']
  const child = startDrv(line, {env})
  onTestFinished(() => void child.kill())
  const ended = once(child, 'close')
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const next = async () => JSON.parse((await lines.next()).value!) as Record<string, any>
  const {user_code} = await next()
  const {code, stdout} = await approve(user_code.toLowerCase().replace('-', ''), '--json')
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toEqual({
    app: 'drv',
    user: 'local',
    approved: true,
    scopes: ['drive.readonly'],
  })
  expect(await next()).toMatchObject({event: 'authorized', user: {login: 'local'}})
  expect(await ended).toEqual([0, null])
  expect((await runHere(['ls', '/'], {env})).code).toBe(0)
  const again = await approve(user_code)
  expect(again.code).toBe(12)
  expect(again.stderr.replace(user_code, 'CODE')).toRead()
})

test('--as selects one of several users', async () => {
  await addUser('ada')
  const {code, poll} = await newCode()
  const unnamed = await approve(code)
  expect(unnamed.code).toBe(2)
  expect(unnamed.stderr).toRead()
  expect((await approve(code, '--as', 'nobody')).code).toBe(5)
  const shown = await approve(code, '--as', 'ada', '--dry-run')
  expect(shown.stdout).toRead()
  expect((await approve(code, '--as', 'ADA')).stdout).toContain('user\tada\n')
  expect(await owner((await poll()).access_token)).toBe('ada@example.com')
})

test('--deny ends the sign-in', async () => {
  await addUser('ada')
  const {code, poll} = await newCode()
  expect((await approve(code, '--deny')).code).toBe(0)
  expect(await poll()).toMatchObject({error: 'access_denied'})
})

test('codes that cannot be approved get different errors', async () => {
  const unknown = await approve('ZZZZ-ZZZZ')
  expect(unknown.code).toBe(5)
  expect(unknown.stderr).toRead()
  const expired = await newCode()
  service.store.run('UPDATE device_grants SET expires_at = 1')
  const late = await approve(expired.code)
  expect(late.code).toBe(12)
  expect(late.stderr.replace(expired.code, 'CODE')).toRead()
  suspendUser(service.store, userByLogin(service.store, 'local')!, true, 1)
  const {code} = await newCode()
  expect((await approve(code)).code).toBe(12)
  expect((await approve(code, '--as', 'local')).stderr).toRead()
})

test.skipIf(missingTerminal)('a terminal asks which of several users approves', async () => {
  await addUser('ada')
  const {code, poll} = await newCode()
  const terminal = startAtTerminal(['local', 'approve', code, '--data', data], {env})
  await terminal.shows(/Approve as[\s\S]*ada \(ada@example\.com\)/)
  terminal.type('\u001B[B\r')
  await terminal.shows(/Approved the sign-in of drv as ada \(drive\.readonly\)/)
  expect(await terminal.ended).toBe(0)
  expect(await owner((await poll()).access_token)).toBe('ada@example.com')
})

test('several codes are approved together, or none if one is wrong', async () => {
  const [one, other] = [await newCode(), await newCode()]
  const wrong = await approve(one.code, 'BCDF-0000')
  expect(wrong.code).toBe(5)
  expect(await one.poll()).toMatchObject({error: 'authorization_pending'})
  const both = await approve(one.code, other.code, one.code, '--format', 'ndjson')
  expect(both.code).toBe(0)
  expect(both.stdout.trimEnd().split('\n')).toHaveLength(2)
  expect(await owner((await other.poll()).access_token)).toBe('local@example.com')
})
