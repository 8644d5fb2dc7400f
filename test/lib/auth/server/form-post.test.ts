import nock from 'nock'
import {expect, test} from 'vitest'
import {scopesToRequest, UnknownScope} from '#lib/auth/scopes.js'
import {createPost} from '#lib/auth/server/form-post.js'
import {NetworkError, ProtocolError} from '#lib/client/errors.js'
import {SetupError} from '#lib/platform/setup-error.js'
import {serve} from '../../../support/serve.js'
import {guardNetwork} from '../../nock.js'

const AUTH = 'https://auth.example.com'

guardNetwork()

test('sends a form and accepts JSON', async () => {
  nock(AUTH, {
    reqheaders: {accept: 'application/json', 'user-agent': 'drv/1'},
    badheaders: ['authorization'],
  })
    .post('/login/device/code', {client_id: 'a b', scope: 'x y'})
    .reply(400, 'error=device_flow_disabled', {'Content-Type': 'text/plain'})
  const post = createPost({authUrl: AUTH, userAgent: 'drv/1'})
  expect(await post('/login/device/code', {client_id: 'a b', scope: 'x y'})).toEqual({
    status: 400,
    contentType: 'text/plain',
    body: 'error=device_flow_disabled',
  })
})

test('never follows a redirect, and limits the size of a response', async () => {
  const post = createPost({authUrl: AUTH})
  nock(AUTH).post('/x').reply(307, '', {Location: 'https://evil.example/'})
  await expect(post('/x', {})).rejects.toRead()
  nock(AUTH)
    .post('/x')
    .reply(302, '', {Location: `${AUTH}/x`})
  await expect(post('/x', {})).rejects.toRead()
  nock(AUTH).post('/x').reply(304)
  await expect(post('/x', {})).rejects.toRead()
  nock(AUTH).post('/x').reply(200, 'a'.repeat(100_000))
  await expect(post('/x', {})).rejects.toThrow(ProtocolError)
  nock(AUTH)
    .post('/x')
    .replyWithError(Object.assign(new Error(), {code: 'ECONNREFUSED'}))
  await expect(post('/x', {})).rejects.toThrow(NetworkError)
})

test('reuses one connection', async () => {
  // nock destroys the connection of each request.
  nock.restore()
  let connections = 0
  const {server, url} = await serve((request, response) =>
    request.resume().on('end', () => response.end('a=b')),
  )
  server.on('connection', () => connections++)
  const post = createPost({authUrl: url})
  for (let polls = 0; polls < 5; polls++) {
    expect(await post('/login/oauth/access_token', {})).toMatchObject({status: 200, body: 'a=b'})
  }
  expect(connections).toBe(1)
})

test('sends no codes over plain http', () => {
  expect(() => createPost({authUrl: 'http://auth.example.com'})).toThrow(SetupError)
})

const FULL = 'https://www.googleapis.com/auth/'
test.each([
  [[], [`${FULL}drive`, `${FULL}drive.appdata`, `${FULL}drive.apps.readonly`]],
  [['drive.readonly'], [`${FULL}drive.readonly`]],
  // The service counts tokens by the requested text, so it is always the same.
  [['drive.file,drive', `${FULL}drive`], [`${FULL}drive`]],
  [['drive.file drive.apps.readonly'], [`${FULL}drive.apps.readonly`, `${FULL}drive.file`]],
  [
    ['drive.apps.readonly', 'drive.file'],
    [`${FULL}drive.apps.readonly`, `${FULL}drive.file`],
  ],
])('requestedScopes(%j)', (texts, expected) => {
  expect(scopesToRequest(texts)).toEqual(expected)
})

test.each([
  ['https://other.example.com/auth/calendar', 'https://other.example.com/auth/calendar'],
  [`${FULL}spreadsheets`, `${FULL}spreadsheets`],
  ['urn:example:scope', 'urn:example:scope'],
])('a full scope URL is passed through: %s', (name, expected) => {
  expect(scopesToRequest([name, 'drive'])).toEqual([`${FULL}drive`, expected].sort())
})

test.each(['drives', 'constructor', 'read:user', 'https://', 'https://a.example/"x'])(
  'an unknown scope %s',
  name => {
    expect(() => scopesToRequest(['drive', name])).toThrow(UnknownScope)
    expect(() => scopesToRequest(['drive', name])).toRead()
  },
)
