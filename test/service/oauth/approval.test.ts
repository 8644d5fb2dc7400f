import {describe, expect, test} from 'vitest'
import {BUILTIN_CLIENT_ID, DEVICE_GRANT} from '#lib/api/wire.js'
import type {Approval} from '#lib/service/oauth/call.js'
import {createApp} from '#lib/service/oauth/store/apps.js'
import {createOrganization} from '#lib/service/oauth/store/organizations.js'
import {findToken} from '#lib/service/oauth/store/tokens.js'
import {openMemoryStore} from '#lib/service/store/index.js'
import {createUser} from '#lib/service/store/users.js'
import {startTestService} from '../harness.js'
import {notesOf, startOauth} from './calls.js'

/** A service that decides sign-ins itself. */

const start = (approval: Approval) => startOauth(openMemoryStore(), {approval})

const ADA = {user: 'ada'}

async function deviceFlow(approval: Approval) {
  const oauth = start(approval)
  const client_id = BUILTIN_CLIENT_ID
  const {data} = await oauth.post('/login/device/code', {client_id, scope: 'drive'})
  const device_code = String(data.device_code)
  const poll = {client_id, device_code, grant_type: DEVICE_GRANT}
  const answer = await oauth.post('/login/oauth/access_token', poll)
  const page = await oauth.send('GET', '/login/device')
  return {...answer.data, page: notesOf(page.text), oauth} as Record<string, any>
}

describe('the device flow', () => {
  test('ends with a token of the user, who is created', async () => {
    const {access_token, page, oauth} = await deviceFlow(ADA)
    expect(findToken(oauth.store, access_token, oauth.clock.now)!.user.login).toBe('ada')
    expect(page).toRead()
  })

  test.each([
    ['deny', 'access_denied'],
    ['never', 'authorization_pending'],
  ] as const)('%s: %s', async (approval, error) => {
    const answer = await deviceFlow(approval)
    expect(answer.error).toBe(error)
    expect(answer.page).toRead()
  })
})

describe('the web flow', () => {
  async function open(approval: Approval) {
    const oauth = start(approval)
    const callbackUrl = 'http://127.0.0.1/callback'
    // Several accounts would need a choice.
    for (const login of ['ada', 'bert']) createUser(oauth.store, {login}, oauth.clock.now)
    const app = createApp(oauth.store, {name: 'Web', callbackUrl}, oauth.clock.now)
    const query = new URLSearchParams({client_id: app.clientId, scope: 'drive', state: 's'})
    const page = await oauth.send('GET', `/login/oauth/authorize?${query.toString()}`)
    const target = new URL(page.headers.location ?? 'about:blank').searchParams
    return {oauth, app, page, target}
  }

  test('redirects with a code for the user', async () => {
    const {oauth, app, target} = await open(ADA)
    expect(target.get('state')).toBe('s')
    const {data} = await oauth.post('/login/oauth/access_token', {
      client_id: app.clientId,
      client_secret: app.secret!,
      code: target.get('code')!,
    })
    expect(findToken(oauth.store, String(data.access_token), oauth.clock.now)!.user.login).toBe(
      'ada',
    )
  })

  test('redirects with a refusal', async () => {
    const {target} = await open('deny')
    expect(target.get('error')).toBe('access_denied')
  })

  test('leaves the sign-in pending', async () => {
    const {page} = await open('never')
    expect(page.status).toBe(403)
    expect(notesOf(page.text)).toRead()
  })
})

test.each([
  [ADA, 200],
  ['deny', 403],
  ['never', 403],
] as const)('single sign-on with %j', async (approval, status) => {
  const service = await startTestService({approval})
  const token = service.token('bert')
  const drive = await service.json('POST', 'drives', {
    token,
    query: {requestId: 'r'},
    body: {name: 'Acme'},
  })
  createOrganization(service.store, {name: 'acme', sso: true, drives: [drive.body.id]}, 0)
  const read = () => service.json('GET', `drives/${drive.body.id}`, {token})
  const address = (await read()).headers.get('x-service-sso')!.split('url=')[1]!
  expect((await service.send('GET', address, {token: null})).status).toBe(status)
  expect((await read()).status).toBe(status)
  await service.close()
})
