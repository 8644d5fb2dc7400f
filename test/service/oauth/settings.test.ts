import {describe, expect, test} from 'vitest'
import {scopes} from '#lib/api/description/scopes.js'
import {operations} from '#lib/api/operations.js'
import {BUILTIN_CLIENT_ID} from '#lib/api/wire.js'
import {createApp, deleteApp} from '#lib/service/oauth/store/apps.js'
import {findToken, liveTokens} from '#lib/service/oauth/store/tokens.js'
import {mintToken} from '#lib/service/oauth/tokens/mint-token.js'
import {neededPermission} from '#lib/service/oauth/tokens/permissions.js'
import {readTokenForm} from '#lib/service/oauth/tokens/personal-token.js'
import {ensureUser, suspendUser} from '#lib/service/store/users.js'
import {notesOf, type Oauth, startBrowser, startOauth} from './calls.js'

const TOKENS = '/settings/tokens'
const DAY = 24 * 60 * 60 * 1000

const me = ({store, clock}: Oauth) => ensureUser(store, 'local', clock.now)
const secretOf = (text: string) => /id="secret"[^>]*>\s*([^<]+)</.exec(text)?.[1]

describe('the page of personal tokens', () => {
  test('creates a classic token, shows it once, and revokes it', async () => {
    const oauth = startOauth()
    const browser = startBrowser(oauth)
    expect(notesOf((await browser.open(TOKENS)).text)).toRead()
    await browser.open(`${TOKENS}/new`)
    const made = await browser.submit(TOKENS, {
      action: 'create',
      note: '<b>backup</b>',
      days: '7',
      'scope:drive.readonly': 'on',
      'scope:drive.metadata.readonly': 'on',
    })
    const token = secretOf(made.text)!
    const found = findToken(oauth.store, token, oauth.clock.now)!
    expect(found).toMatchObject({
      live: true,
      scopes: scopes('drive.readonly').join(' '),
      permissions: null,
      expires_at: oauth.clock.now + 7 * DAY,
    })
    const list = await browser.open(TOKENS)
    expect(list.text).toContain('&#60;b&#62;backup')
    expect(list.text).toContain(`…${token.slice(-8)}`)
    expect(list.text).not.toContain(token)
    const forged = {action: 'revoke', id: `${found.id}`, authenticity_token: 'x'}
    expect((await browser.submit(TOKENS, forged)).status).toBe(403)
    expect((await browser.submit(TOKENS, {action: 'revoke', id: '999'})).status).toBe(404)
    expect(findToken(oauth.store, token, oauth.clock.now)?.live).toBe(true)
    await browser.submit(TOKENS, {action: 'revoke', id: `${found.id}`})
    expect(findToken(oauth.store, token, oauth.clock.now)?.live).toBe(false)
  })

  test('creates no second token from a form that is sent again', async () => {
    const oauth = startOauth()
    const browser = startBrowser(oauth)
    expect((await browser.open('/settings')).headers.location).toBe(TOKENS)
    await browser.open(`${TOKENS}/new`)
    const form = {action: 'create', note: 'nightly', days: '7'}
    expect((await browser.submit(TOKENS, form)).status).toBe(200)
    const again = await browser.submit(TOKENS, form)
    expect(again.status).toBe(409)
    expect(notesOf(again.text)).toRead()
    expect(secretOf(again.text)).toBeUndefined()
    expect(liveTokens(oauth.store, me(oauth).id, null, oauth.clock.now)).toHaveLength(1)
  })

  test('neither shows nor revokes tokens of others', async () => {
    const oauth = startOauth()
    const {store, clock} = oauth
    const token = mintToken(store, {user: ensureUser(store, 'anna', 0), scopes: []}, clock.now)
    ensureUser(store, 'bert', 0)
    const browser = startBrowser(oauth)
    expect((await browser.open(TOKENS)).headers.location).toBe(
      '/login?return_to=%2Fsettings%2Ftokens',
    )
    await browser.signIn('bert')
    expect((await browser.open(TOKENS)).text).not.toContain(token.slice(-8))
    const {id} = findToken(store, token, clock.now)!
    expect((await browser.submit(TOKENS, {action: 'revoke', id: `${id}`})).status).toBe(404)
    expect(findToken(store, token, clock.now)?.live).toBe(true)
  })

  test('shows the error of a form and keeps its input', async () => {
    const oauth = startOauth()
    const browser = startBrowser(oauth)
    await browser.open(`${TOKENS}/new?kind=fine`)
    const again = await browser.submit(TOKENS, {action: 'create', 'permission:files': 'write'})
    expect(again.status).toBe(400)
    expect(notesOf(again.text)).toRead()
    expect(again.text).toMatch(/value="write"\s+selected/)
    expect(liveTokens(oauth.store, me(oauth).id, null, oauth.clock.now)).toEqual([])
  })
})

test.each([
  [{}, /a name/],
  [{note: 'x'.repeat(101)}, /100 characters/],
  [{note: 'n', kind: 'other'}, /"classic" or "fine"/],
  [{note: 'n', days: '0'}, /1 to 366 days/],
  [{note: 'n', days: '367'}, /1 to 366 days/],
  [{note: 'n', days: '1.5'}, /1 to 366 days/],
  [{note: 'n', kind: 'fine', days: 'none'}, /expiration date/],
  [{note: 'n', scope: 'drive nonsense'}, /scope: nonsense/],
  [{note: 'n', kind: 'fine', 'permission:files': 'all'}, /none, read or write/],
  [
    {note: 'n', days: 'none', scope: 'drive'},
    {note: 'n', scopes: scopes('drive')},
  ],
  [
    {note: ' n ', days: '366'},
    {note: 'n', scopes: [], expiresAt: 366 * DAY},
  ],
  [
    {note: 'n', kind: 'fine', 'permission:files': 'write', 'permission:apps': 'none'},
    {note: 'n', scopes: [], permissions: {files: 'write'}, expiresAt: 30 * DAY},
  ],
])('the settings of a token from %j are %s', (form, expected) => {
  const settings = readTokenForm(new Map(Object.entries(form)), 0)
  if (expected instanceof RegExp) expect(settings).toMatch(expected)
  else expect(settings).toEqual(expected)
})

describe('Basic authentication at the settings page', () => {
  const basic = (user: string, password = '') => ({
    authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
  })
  const form = {note: 'test', scope: 'drive.file'}

  test('creates a personal token', async () => {
    const oauth = startOauth()
    me(oauth)
    const {status, data, headers} = await oauth.send('POST', TOKENS, {
      form,
      headers: basic('local'),
    })
    expect(status).toBe(201)
    expect(headers['cache-control']).toBe('no-store')
    expect(data).toMatchObject({kind: 'classic', note: 'test', scopes: scopes('drive.file')})
    expect(findToken(oauth.store, String(data.token), oauth.clock.now)?.live).toBe(true)
    const bad = await oauth.send('POST', TOKENS, {form: {}, headers: basic('local')})
    expect(bad.status).toBe(422)
  })

  test('accepts no password, no other user and no page of another site', async () => {
    const oauth = startOauth()
    suspendUser(oauth.store, ensureUser(oauth.store, 'anna', 0), true, 0)
    me(oauth)
    const send = (headers: Record<string, string>) => oauth.send('POST', TOKENS, {form, headers})
    expect((await send({...basic('local'), origin: 'http://evil.example'})).status).toBe(403)
    for (const headers of [
      basic('local', 'x'),
      basic('nobody'),
      basic('anna'),
      {authorization: 'x'},
    ]) {
      expect((await send(headers)).status).toBe(401)
    }
    for (let i = 0; i < 9; i++) await send(basic('Local', `${i}`))
    expect((await send(basic('local'))).status).toBe(403)
    ensureUser(oauth.store, 'bert', 0)
    expect((await send(basic('bert'))).status).toBe(201)
    oauth.clock.now += 60_000
    expect((await send(basic('local'))).status).toBe(201)
  })
})

test('the page of apps lists those with access, each with its own page', async () => {
  const oauth = startOauth()
  const {store, clock} = oauth
  const browser = startBrowser(oauth)
  const path = '/settings/applications'
  expect(notesOf((await browser.open(path)).text)).toRead()
  const {clientId} = createApp(store, {name: 'Sync'}, clock.now)
  mintToken(store, {user: me(oauth), clientId, scopes: scopes('drive')}, clock.now)
  const {text} = await browser.open(path)
  expect(text).toContain(`/settings/connections/applications/${clientId}`)
  expect(text).not.toContain(BUILTIN_CLIENT_ID)
  deleteApp(store, clientId, clock.now)
  expect(notesOf((await browser.open(path)).text)).toRead()
})

describe('the permissions of fine-grained tokens', () => {
  test('are defined for every operation except the one that shows the user', () => {
    const free = operations.filter(operation => !neededPermission(operation))
    expect(free.map(({operationId}) => operationId)).toEqual(['about.get'])
  })

  test.each([
    ['files.list', 'files read'],
    ['files.watch', 'files read'],
    ['files.trash', 'files write'],
    ['permissions.list', 'sharing read'],
    ['permissions.insert', 'sharing write'],
    ['changes.watch', 'changes read'],
    ['channels.stop', 'changes read'],
    ['drives.hide', 'drives write'],
    ['apps.list', 'apps read'],
  ])('for %s: %s', (id, expected) => {
    const needed = neededPermission(operations.find(one => one.operationId === id)!)!
    expect(`${needed.name} ${needed.level}`).toBe(expected)
  })
})
