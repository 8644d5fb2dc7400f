import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {scopes} from '#lib/api/description/scopes.js'
import {BUILTIN_CLIENT_ID, BUILTIN_CLIENT_SECRET} from '#lib/api/wire.js'
import {createService, type Service} from '#lib/service/index.js'
import {allApps, appById} from '#lib/service/oauth/store/apps.js'
import {mintToken} from '#lib/service/oauth/tokens/mint-token.js'
import {isAppSecret} from '#lib/service/oauth/tokens/secrets.js'
import {ensureUser} from '#lib/service/store/users.js'
import {freshEnvironment, type Result, temporaryFolder} from '../../support/drv.js'
import {runHere} from '../../support/here.js'
import {authorizeDevice} from '../../support/person.js'

/** `drv local app` while a service runs on the same data directory. */

let service: Service
let remove: () => void
let app: (...words: string[]) => Promise<Result>
let filtered: (...words: string[]) => Promise<string[]>
beforeEach(async () => {
  const folder = temporaryFolder()
  const data = `${folder.path}/service`
  remove = folder.remove
  service = await createService({data})
  const {store, url} = service
  const user = ensureUser(store, 'local', Date.now())
  const token = mintToken(store, {user, scopes: scopes('drive', 'drive.apps.readonly')}, Date.now())
  const env = {...freshEnvironment(folder.path), DRV_BASE_URL: url, DRV_AUTH_URL: url}
  app = (verb, ...words) =>
    runHere(['local', 'app', verb!, ...words, '--data', data, '--json'], {env})
  filtered = async (...words) => {
    const listed = await runHere(['apps', 'list', ...words, '--json'], {
      env: {...env, DRV_TOKEN: token},
    })
    return listed.json<{items: {name: string}[]}>().items.map(({name}) => name)
  }
})
afterEach(async () => {
  await service.close()
  remove()
})

/** Creates an app that the user `local` has authorized. */
async function install(...words: string[]) {
  const made = (await app('create', ...words)).json()
  const user = ensureUser(service.store, 'local', Date.now())
  mintToken(service.store, {user, clientId: made.client_id, scopes: []}, Date.now())
  return made
}

/** The response of the device flow to an app. */
async function startsDevice(clientId: string): Promise<string> {
  const body = new URLSearchParams({client_id: clientId})
  const headers = {accept: 'application/json'}
  const response = await fetch(`${service.url}/login/device/code`, {method: 'POST', body, headers})
  const answer = (await response.json()) as {error?: string; user_code?: string}
  return answer.error ?? typeof answer.user_code
}

describe('a new app', () => {
  test('has the device flow only with --device-flow', async () => {
    const plain = (await app('create', 'Plain')).json()
    const device = (await app('create', 'Device', '--device-flow')).json()
    expect([plain.device_flow, device.device_flow]).toEqual([false, true])
    expect(await startsDevice(plain.client_id)).toBe('device_flow_disabled')
    expect(await startsDevice(device.client_id)).toBe('string')
    expect(await startsDevice(BUILTIN_CLIENT_ID)).toBe('string')
  })

  test('has types, by which apps.list finds it', async () => {
    const text = ['--mime-type', 'text/plain', '--mime-type', 'Text/Markdown', '--extension', '.md']
    const made = await install('Text', ...text)
    expect(made).toMatchObject({mime_types: ['text/plain', 'text/markdown'], extensions: ['md']})
    await install('Images', '--extension', 'png', '--extension', 'JPG')
    expect((await filtered()).sort()).toEqual(['Images', 'Text'])
    expect(await filtered('--app-filter-mime-types', 'text/markdown')).toEqual(['Text'])
    expect(await filtered('--app-filter-extensions', 'jpg,gif')).toEqual(['Images'])
    expect(await filtered('--app-filter-extensions', 'pdf')).toEqual([])
    const listed = (await app('list')).json<Record<string, unknown>[]>()
    expect(listed).toContainEqual(
      expect.objectContaining({name: 'Images', extensions: ['png', 'jpg']}),
    )
  })
})

describe('the lifetime of tokens', () => {
  const ask = async (path: string, form: Record<string, string>) => {
    const headers = {accept: 'application/json'}
    const body = new URLSearchParams(form)
    const response = await fetch(service.url + path, {method: 'POST', body, headers})
    return (await response.json()) as Record<string, string>
  }
  const grant = 'urn:ietf:params:oauth:grant-type:device_code'

  test('is set by --expires, and removed by an empty value', async () => {
    const flags = ['--device-flow', '--expires', '8h', '--reuse-interval', '1m 30s']
    const made = (await app('create', 'Sync', ...flags)).json()
    expect(made).toMatchObject({expires_in: 28_800, reuse_interval: 90})
    const client_id = made.client_id as string
    const signIn = async () => {
      const {device_code, user_code} = await ask('/login/device/code', {client_id})
      await authorizeDevice(`${service.url}/login/device`, user_code!)
      const code = {client_id, grant_type: grant, device_code: device_code!}
      return ask('/login/oauth/access_token', code)
    }
    expect(await signIn()).toMatchObject({expires_in: 28_800, refresh_token: expect.any(String)})
    const changed = (await app('update', client_id, '--expires', '', '--reuse-interval', '')).json()
    expect(changed).toMatchObject({expires_in: null, reuse_interval: 0})
    expect(Object.keys(await signIn())).toEqual(['access_token', 'token_type', 'scope'])
  })

  test.each([
    ['--expires', '8'],
    ['--expires', '0h'],
    ['--expires', 'never'],
    ['--expires', ''],
    ['--reuse-interval', '365d'],
  ])('is rejected as %s "%s"', async (flag, value) => {
    const {code, stderr} = await app('create', 'Sync', flag, value)
    expect(code).toBe(2)
    const {error} = JSON.parse(stderr) as {error: Record<string, string>}
    expect(error).toMatchObject({
      message: expect.stringContaining(flag) as string,
    })
  })
})

describe('an existing app', () => {
  test('changes only in the named settings', async () => {
    const callback = ['--callback-url', 'https://app.example/back']
    const made = await install('Sync', ...callback, '--extension', 'txt', '--device-flow')
    const id = made.client_id as string
    const change = async (...words: string[]) => {
      const {code, stderr, json} = await app('update', id, ...words)
      expect(code, stderr).toBe(0)
      return json()
    }
    const {client_secret, ...rest} = made
    expect(await change('--no-device-flow')).toMatchObject({...rest, device_flow: false})
    expect(await startsDevice(id)).toBe('device_flow_disabled')
    await change('--device-flow', '--name', 'Sync 2', '--home-url', 'https://app.example')
    expect(await startsDevice(id)).toBe('string')
    expect(await change('--mime-type', 'text/plain')).toMatchObject({
      name: 'Sync 2',
      callback_url: 'https://app.example/back',
      home_url: 'https://app.example',
      mime_types: ['text/plain'],
      extensions: ['txt'],
    })
    expect(await change('--extension', 'a', '--extension', 'b')).toMatchObject({
      extensions: ['a', 'b'],
    })
    expect(await change('--extension', '', '--mime-type', '', '--callback-url', '')).toMatchObject({
      callback_url: null,
      mime_types: [],
      extensions: [],
    })
    expect(isAppSecret(appById(service.store, id)!, client_secret)).toBe(true)
    expect(await filtered()).toEqual(['Sync 2'])
  })

  test('gets a new secret, which replaces the old one, or none', async () => {
    const {client_id, client_secret} = (await app('create', 'Sync')).json()
    const known = () => appById(service.store, client_id)!
    const {code, stderr, json} = await app('update', client_id, '--new-secret')
    expect([code, stderr]).toEqual([0, ''])
    expect(isAppSecret(known(), json().client_secret)).toBe(true)
    expect(isAppSecret(known(), client_secret)).toBe(false)
    const open = (await app('update', client_id, '--public')).json()
    expect(open).toMatchObject({public: true})
    expect(open).not.toHaveProperty('client_secret')
    expect(known().secret_hash).toBeNull()
  })

  test('that drv itself uses keeps its secret, and accepts other changes', async () => {
    const {code, stderr} = await app('update', BUILTIN_CLIENT_ID, '--new-secret')
    expect(code).toBe(2)
    expect(stderr).toRead()
    expect((await app('update', BUILTIN_CLIENT_ID, '--public')).code).toBe(2)
    expect((await app('update', BUILTIN_CLIENT_ID, '--extension', 'txt')).code).toBe(0)
    expect(isAppSecret(appById(service.store, BUILTIN_CLIENT_ID)!, BUILTIN_CLIENT_SECRET)).toBe(
      true,
    )
  })
})

test.each([
  [2, 'update', ['sync']],
  [5, 'update', ['nobody', '--device-flow']],
  [2, 'update', ['sync', '--new-secret', '--public']],
  [2, 'update', ['sync', '--callback-url', 'javascript:x']],
  [2, 'update', ['sync', '--home-url', 'x']],
  [2, 'update', ['sync', '--name', ' ']],
  [2, 'update', ['sync', '--mime-type', 'text']],
  [2, 'update', ['sync', '--extension', 'a', '--extension', '']],
  [2, 'create', ['New', '--callback-url', '']],
  [2, 'create', ['New', '--mime-type', '']],
  [2, 'create', ['New', '--client-id', '..']],
  [2, 'create', ['New', '--client-id', 'a/b']],
  [2, 'create', ['New', '--extension', 'txt,md']],
])('%i for %s %j', async (exit, verb, words) => {
  await app('create', 'Sync', '--client-id', 'sync')
  const before = allApps(service.store)
  const {code, stderr} = await app(verb, ...words)
  expect(code, stderr).toBe(exit)
  expect(stderr).toRead()
  expect(allApps(service.store)).toEqual(before)
})
