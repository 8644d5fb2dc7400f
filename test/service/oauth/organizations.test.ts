import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {createOrganization} from '#lib/service/oauth/store/organizations.js'
import {mintToken} from '#lib/service/oauth/tokens/mint-token.js'
import {makePersonalToken} from '#lib/service/oauth/tokens/personal-token.js'
import {ensureUser, userByLogin} from '#lib/service/store/users.js'
import {type Answer, startTestService, type TestService} from '../harness.js'
import {hiddenFields, notesOf} from './calls.js'

const HOUR = 60 * 60 * 1000
const ALL = {supportsAllDrives: 'true', includeItemsFromAllDrives: 'true'}

let service: TestService
let classic: string
let ofApp: string
const drives: Record<'acme' | 'beta' | 'open', string> = {acme: '', beta: '', open: ''}
const files: Record<string, string> = {}

beforeAll(async () => {
  service = await startTestService()
  classic = service.token('ada')
  ofApp = service.token('ada', ['drive'], 'sync')
  for (const name of ['acme', 'beta', 'open'] as const) {
    const query = {requestId: name}
    const made = await service.json('POST', 'drives', {token: ofApp, query, body: {name}})
    drives[name] = made.body.id
    const body = {title: `in ${name}`, parents: [{id: drives[name]}]}
    const file = await service.json('POST', 'files', {token: ofApp, query: ALL, body})
    files[name] = file.body.id
  }
  const {store, clock} = service
  createOrganization(store, {name: 'Acme', sso: true, drives: [drives.acme]}, clock.now)
  createOrganization(store, {name: 'Beta', sso: true, drives: [drives.beta]}, clock.now)
  createOrganization(store, {name: 'Open', sso: false, drives: [drives.open]}, clock.now)
})
afterAll(() => service.close())

const get = (path: string, query: Record<string, string>, token = classic) =>
  service.json('GET', path, {token, query})
const titles = ({body}: Answer) => body.items.map((item: any) => item.title ?? item.name).sort()

describe('an organization with single sign-on', () => {
  test.each([
    ['GET', () => `files/${files.acme}`, {supportsAllDrives: 'true'}],
    ['GET', () => `drives/${drives.acme}`, {}],
    ['PUT', () => `files/${files.acme}`, {supportsAllDrives: 'true'}],
    ['GET', () => `files/${files.acme}/permissions`, {supportsAllDrives: 'true'}],
    ['GET', () => `files/${drives.acme}/children`, {}],
    ['GET', () => 'files', {corpora: 'drive', driveId: 'acme', ...ALL}],
    ['GET', () => 'changes', {driveId: 'acme', ...ALL}],
    ['GET', () => 'changes/startPageToken', {driveId: 'acme', supportsAllDrives: 'true'}],
  ])('excludes a classic token: %s', async (method, path, query: Record<string, string>) => {
    const real = {...query, ...(query.driveId && {driveId: drives.acme})}
    const body = method === 'PUT' ? {title: 'changed'} : undefined
    const answer = await service.json(method, path(), {token: classic, query: real, body})
    expect(answer.status).toBe(403)
    expect(answer.body.error.errors[0].reason).toBe('ssoRequired')
    expect(answer.headers.get('x-service-sso')).toMatch(
      /^required; url=http:\/\/127\.0\.0\.1:\d+\/orgs\/Acme\/sso\?authorization_request=[0-9a-f]{40}$/,
    )
    expect(answer.headers.get('x-oauth-scopes')).toContain('drive')
    const same = await service.json(method, path(), {token: ofApp, query: real, body})
    expect(same.status).toBe(200)
  })

  test('hides its items like those of other users', async () => {
    const token = service.token('bert')
    const answer = await get(`files/${files.acme}`, {supportsAllDrives: 'true'}, token)
    expect(answer.status).toBe(404)
    expect(answer.headers.get('x-service-sso')).toBeNull()
  })

  test('is omitted from lists over several, which report it', async () => {
    const partial = 'partial-results; organizations=1,2'
    for (const [path, query, name] of [
      ['files', ALL, 'in open'],
      ['drives', {}, 'open'],
    ] as const) {
      const answer = await get(path, query)
      expect(answer.status).toBe(200)
      expect(titles(answer)).toEqual([name])
      expect(answer.headers.get('x-service-sso')).toBe(partial)
      const whole = await get(path, query, ofApp)
      expect(whole.body.items).toHaveLength(3)
      expect(whole.headers.get('x-service-sso')).toBeNull()
    }
    const changes = await get('changes', ALL)
    expect(changes.headers.get('x-service-sso')).toBe(partial)
    const seen = changes.body.items.map((item: any) => item.driveId)
    expect(new Set(seen)).toEqual(new Set([drives.open]))
    const others = await get('files', ALL, service.token('bert'))
    expect(others.headers.get('x-service-sso')).toBeNull()
    expect((await get('files', {})).headers.get('x-service-sso')).toBeNull()
  })

  test('admits a classic token after its owner has authorized it at the URL, within an hour', async () => {
    const token = service.token('ada')
    const open = () => get(`files/${files.acme}`, {supportsAllDrives: 'true'}, token)
    const address = async () => (await open()).headers.get('x-service-sso')!.split('url=')[1]!
    const old = await address()
    service.clock.now += HOUR
    expect((await service.send('GET', old, {token: null})).status).toBe(404)
    service.clock.now -= 1
    const signIn = await service.send('GET', old, {token: null})
    expect(signIn.headers.get('location')).toContain('/login?return_to=')

    const visit = browser()
    const form = await visit('/login')
    await visit('/login', {...hiddenFields(form), account: 'ada'})
    const wanted = await address()
    const {pathname, search} = new URL(wanted)
    const page = await visit(pathname + search)
    expect(notesOf(page)).toRead()
    expect((await open()).status).toBe(403)
    const forged = await visit(pathname, {...hiddenFields(page), authenticity_token: 'x'})
    expect(notesOf(forged)).toRead()
    expect((await open()).status).toBe(403)
    expect(notesOf(await visit(pathname, hiddenFields(page)))).toRead()
    expect((await open()).status).toBe(200)
    expect((await get(`files/${files.beta}`, ALL, token)).status).toBe(403)
    expect((await get('files', ALL, token)).headers.get('x-service-sso')).toBe(
      'partial-results; organizations=2',
    )
  })

  test('admits a fine-grained token created since, and reports its state', async () => {
    const {store, clock} = service
    const user = userByLogin(store, 'ada')!
    const form = new Map([
      ['kind', 'fine'],
      ['note', 'n'],
      ['permission:files', 'read'],
    ])
    const made = makePersonalToken({store, now: clock.now}, user, form)
    if (typeof made === 'string') throw new Error(made)
    const file = await get(`files/${files.acme}`, {supportsAllDrives: 'true'}, made.token)
    expect(file.status).toBe(200)
    expect(file.headers.get('x-accepted-service-permissions')).toBe('files=read')
    expect(file.headers.get('x-oauth-scopes')).toBeNull()
    const refused = await get(`drives/${drives.acme}`, {}, made.token)
    expect(refused.status).toBe(403)
    expect(refused.headers.get('x-accepted-service-permissions')).toBe('drives=read')
    const ready = mintToken(store, {user, scopes: [], permissions: {files: 'read'}}, clock.now)
    const later = await get(`files/${files.acme}`, {supportsAllDrives: 'true'}, ready)
    expect(later.status).toBe(403)
  })
})

/** Visits pages with its own cookie and returns their text. */
function browser() {
  let cookie = ''
  return async (path: string, form?: Record<string, string>): Promise<string> => {
    const response = await service.send(form ? 'POST' : 'GET', path, {
      token: null,
      headers: {
        cookie,
        ...(form && {'content-type': 'application/x-www-form-urlencoded', origin: service.url}),
      },
      body: form && new URLSearchParams(form).toString(),
    })
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie
    return response.text()
  }
}

test('users without an organization see no difference', async () => {
  ensureUser(service.store, 'carla', service.clock.now)
  const answer = await get('drives', {}, service.token('carla'))
  expect(answer.body.items).toEqual([])
  expect(answer.headers.get('x-service-sso')).toBeNull()
})
