import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {beforeEach, expect, onTestFinished, test, vi} from 'vitest'
import {ExpectationError, readExpectations, requestReport} from '#lib/cli/local/request-report.js'
import {createService} from '#lib/service/index.js'
import {mintToken} from '#lib/service/oauth/tokens/mint-token.js'
import {allScopes} from '#lib/service/oauth/tokens/scopes.js'
import {ensureUser} from '#lib/service/store/users.js'
import {freshEnvironment, runDrv, temporaryFolder} from '../../support/drv.js'
import {runHere} from '../../support/here.js'

/** `drv local log`: the requests that a running service has answered. */

let env: Record<string, string>
let data: string
beforeEach(() => {
  const {path, remove} = temporaryFolder()
  onTestFinished(remove)
  data = join(path, 'service')
  env = freshEnvironment(path)
})

const log = (...args: string[]) => runHere(['local', 'log', ...args, '--data', data], {env})

async function start() {
  const service = await createService({data, isControlled: true})
  let isOpen = true
  const close = async () => {
    if (isOpen) await service.close()
    isOpen = false
  }
  onTestFinished(close)
  const now = service.clock.now()
  const user = ensureUser(service.store, 'ada', now)
  const token = mintToken(service.store, {user, scopes: allScopes(), note: ''}, now)
  const send = (method: string, path: string, body?: unknown, credentials: object = {}) =>
    fetch(service.url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...credentials,
      },
      ...(body !== undefined && {body: JSON.stringify(body)}),
    })
  return {...service, token, send, close}
}

const FILES = '/drive/v2/files'

interface Shown {
  readonly method: string
  readonly path: string
  readonly operation?: string
  readonly status: number
  readonly reason?: string
  readonly user?: string
  readonly fault?: string
  readonly time: string
}

test('lists requests by operation and status, and never a token', async () => {
  const {send, token, url} = await start()
  const created = (await (await send('POST', FILES, {title: 'a'})).json()) as {id: string}
  await send('GET', `${FILES}/nothing`)
  await send('GET', `${FILES}/${created.id}?access_token=canary-query`)
  await fetch(`${url}${FILES}?oauth_token=${token}`)
  await send('GET', FILES, undefined, {authorization: 'Bearer canary-header'})
  await send('DELETE', '/nowhere/canary')

  const all = await log('--json')
  expect(all.code).toBe(0)
  const rows = all.json<Shown[]>()
  expect(rows.map(({operation, status, user}) => [operation, status, user])).toEqual([
    ['files.insert', 200, 'ada'],
    ['files.get', 404, 'ada'],
    ['files.get', 200, 'ada'],
    ['files.list', 200, 'ada'],
    ['files.list', 401, undefined],
    [undefined, 404, undefined],
  ])
  expect(rows[0]).toMatchObject({method: 'POST', path: FILES})
  expect(rows[1]!.reason).toBe('notFound')
  expect(all.stdout).not.toContain(token)
  expect(all.stdout).not.toMatch(/canary-(query|header)/)

  const shown = async (...args: string[]) =>
    (await log(...args, '--json'))
      .json<Shown[]>()
      .map(({operation, status}) => `${operation} ${status}`)
  expect(await shown('--operation', 'files.list')).toEqual(['files.list 200', 'files.list 401'])
  expect(await shown('--operation', 'changes.*,files.insert')).toEqual(['files.insert 200'])
  expect(await shown('--status', '404', '--operation', 'files.*')).toEqual(['files.get 404'])
  expect(await shown('--status', '2xx')).toEqual([
    'files.insert 200',
    'files.get 200',
    'files.list 200',
  ])

  const table = await log('--columns', 'status,operation', '--status', '2xx')
  expect(table.stdout).toBe('200\tfiles.insert\n200\tfiles.get\n200\tfiles.list\n')
})

test('refuses an unknown operation or status, and needs a running service', async () => {
  const missing = await log()
  expect(missing.code).toBe(8)
  for (const args of [
    ['--operation', 'files.put'],
    ['--operation', 'nothing.*'],
    ['--status', '4x'],
    ['--status', '600'],
  ]) {
    const refused = await log(...args)
    expect(refused.code).toBe(2)
    expect(refused.stderr).toRead()
  }
})

test('follows requests until the service stops', async () => {
  const {send, close, requestLog} = await start()
  await send('GET', FILES)
  const looks = vi.spyOn(requestLog, 'after')
  const following = log('--follow', '--format', 'ndjson', '--operation', 'files.*')
  await vi.waitFor(() => expect(looks).toHaveBeenCalled())
  await send('POST', FILES, {title: 'later'})
  const before = looks.mock.calls.length
  await vi.waitFor(() => expect(looks.mock.calls.length).toBeGreaterThan(before + 1))
  await close()
  const {code, stdout, stderr} = await following
  expect(code).toBe(0)
  const rows = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Shown)
  expect(rows.map(({operation}) => operation)).toEqual(['files.list', 'files.insert'])
  expect(stderr).toRead()
})

test('reports the requests of a run and compares them with the expected ones', async () => {
  const home = join(data, '..')
  const at = (name: string) => join(home, name)
  const script = `
    const send = (method, path, body) => fetch(process.env.DRV_BASE_URL + path, {
      method, body, headers: {authorization: 'Bearer ' + process.env.DRV_TOKEN, 'content-type': 'application/json'},
    })
    await send('POST', '${FILES}', '{"title": "a"}')
    await send('GET', '${FILES}?access_token=canary')
    await send('GET', '${FILES}/nothing')
    require('node:fs').writeFileSync('token', process.env.DRV_TOKEN)
    process.exitCode = Number(process.env.CODE ?? 0)`
  const run = async (operations: unknown, vars: Record<string, string> = {}) => {
    writeFileSync(at('expected.json'), JSON.stringify(operations))
    const words = ['--report', at('report.json'), '--expect', at('expected.json'), '--']
    const program = [process.execPath, '-e', `(async () => {${script}})()`]
    const args = ['local', 'run', ...words, ...program]
    return runDrv(args, {env: {...env, ...vars}, cwd: home})
  }
  const guide = readFileSync(
    new URL('../../../docs/guides/checking-requests.md', import.meta.url),
    'utf8',
  )
  const fits: unknown = JSON.parse(/^```json\n(.*?)^```/ms.exec(guide)![1]!)
  expect(await run(fits)).toMatchObject({code: 0, stderr: ''})
  const text = readFileSync(at('report.json'), 'utf8')
  expect(text).not.toContain('canary')
  expect(text).not.toContain(readFileSync(at('token'), 'utf8'))
  expect(JSON.parse(text)).toMatchObject({
    requests: 3,
    operations: {'files.get': {requests: 1, refused: 1}, 'files.insert': {requests: 1, refused: 0}},
    refusals: [{operation: 'files.get', status: 404, reason: 'notFound'}],
    changes: [{operation: 'files.insert', method: 'POST', path: FILES}],
  })

  const wrong = await run({operations: {'files.insert': 2, 'files.get': 1}})
  expect(wrong.code).toBe(1)
  expect(wrong.stderr).toRead()
  const failed = await run({operations: {}}, {CODE: '3'})
  expect(failed.code).toBe(3)
  expect(failed.stderr).toRead()
})

test.each([
  '[]',
  '{"operation": {}}',
  '{"operations": []}',
  '{"operations": {"files.put": 1}}',
  '{"operations": {"files.get": -1}}',
  '{"operations": {"files.get": {"most": 1}}}',
  '{"operations": {"files.get": {"min": 2, "max": 1}}}',
  '{"operations": {"files.get": {"refused": 0.5}}}',
])('refuses the expectations %s', text => {
  expect(() => readExpectations(text)).toThrow(ExpectationError)
})

test('drv local inspect prints a link that opens the inspector once', async () => {
  const {url} = await start()
  const {stdout} = await runHere(['local', 'inspect', '--data', data], {env})
  expect(stdout).toMatch(new RegExp(`^${url}/inspect\\?code=[\\w-]{32}\n$`))
  const open = async (link: string) => (await fetch(link, {redirect: 'manual'})).status
  expect([await open(stdout.trim()), await open(stdout.trim())]).toEqual([302, 403])
  const record = await runHere(['local', 'inspect', '--json', '--data', data], {env})
  expect(await open(record.json<{url: string}>().url)).toBe(302)
  const none = await runHere(['local', 'inspect', '--data', `${data}-other`], {env})
  expect(none.code).toBe(8)
})

test('reports name the items that changed', async () => {
  const {send, requestLog} = await start()
  const {id} = (await (await send('POST', FILES, {title: 'a'})).json()) as {id: string}
  await send('DELETE', `${FILES}/${id}`)
  const {entries, position} = requestLog.after(0)
  expect(requestReport(entries, position).changes).toMatchObject([
    {operation: 'files.insert', item: id},
    {operation: 'files.delete', item: id},
  ])
})
