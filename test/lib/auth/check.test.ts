import {Readable} from 'node:stream'
import {expect, test} from 'vitest'
import {checkAppToken} from '#lib/auth/check.js'
import type {Send} from '#lib/client/transport/transport.js'

const ASKED = {clientId: 'my app', clientSecret: 's:ecret', token: 'the-token'}
const sent: Parameters<Send>[0][] = []
const answering =
  (status: number, body: object): Send =>
  async request => {
    sent.push(request)
    return {status, headers: {}, body: Readable.from([Buffer.from(JSON.stringify(body))])}
  }
const check = (status: number, body: object, asked = ASKED) =>
  checkAppToken({baseUrl: 'https://a.example/api', send: answering(status, body)}, asked)

test('sends the app in Basic authentication, and the token only in the body', async () => {
  const found = await check(200, {
    id: 7,
    token: 'the-token',
    hashed_token: 'x',
    app: {name: 'Mine', client_id: 'my app'},
    user: {login: 'alice', id: 1},
    scopes: ['drive'],
    created_at: '2026-11-21T09:30:00Z',
    expires_at: null,
  })
  expect(found).toEqual({
    app: {clientId: 'my app', name: 'Mine'},
    user: {id: '1', login: 'alice'},
    scopes: ['drive'],
    createdAt: '2026-11-21T09:30:00Z',
    expiresAt: undefined,
  })
  expect(sent.at(-1)).toMatchObject({
    method: 'POST',
    url: 'https://a.example/api/applications/my%20app/token',
    headers: {
      authorization: `Basic ${Buffer.from('my app:s:ecret').toString('base64')}`,
      accept: 'application/vnd.service+json',
    },
    body: '{"access_token":"the-token"}',
  })
})

test.each([
  [404, ASKED, 'sign-in'],
  [401, ASKED, 'configuration'],
  [401, {...ASKED, clientId: 'drv-cli'}, 'configuration'],
])('the error of a %i for %j', async (status, asked, kind) => {
  const checking = check(status, {message: 'No'}, asked)
  await expect(checking).rejects.toMatchObject({kind})
  await expect(checking).rejects.toRead()
})

test('any other error is passed on', async () => {
  await expect(check(500, {message: 'No'})).rejects.toMatchObject({status: 500})
})
