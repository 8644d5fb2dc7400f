import {Readable} from 'node:stream'
import {expect, test} from 'vitest'
import {checkAppToken} from '#lib/auth/check.js'
import {createPost, readFields} from '#lib/auth/server/form-post.js'
import {createClient} from '#lib/client/index.js'
import {createSender} from '#lib/client/request.js'
import {fetchTokenOwner} from '#lib/client/token-owner.js'
import type {HttpResponse, Send} from '#lib/client/transport/transport.js'

/** A service that repeats the request in its response: no error may show the token. */

const TOKEN = 'drvp_secret-token-0123456789'
const baseUrl = 'https://files.example.com/drive/v2'

/** The token with JSON escapes, so that a search of the body does not find it. */
const ESCAPED = TOKEN.replace('-', '\\u002d')
const refusal = (status: number) =>
  `{"error":{"code":${status},"message":"no: Bearer ${ESCAPED}.","errors":[{"reason":"bad ${TOKEN}","location":"${TOKEN}"}]}}`
const headers = {
  'content-type': 'application/json',
  'x-oauth-scopes': `drive, ${TOKEN}`,
  'x-accepted-oauth-scopes': TOKEN,
  'x-oauth-client-id': TOKEN,
}

const answering =
  (answer: (request: Parameters<Send>[0]) => Partial<HttpResponse> & {text: string}): Send =>
  async request => {
    const {text, ...rest} = answer(request)
    return {status: 200, headers, ...rest, body: Readable.from([Buffer.from(text)])}
  }

/** All text in an error or a result, including nested values. */
const allOf = (value: unknown): string =>
  value instanceof Error
    ? [value.message, value.stack, JSON.stringify(value), allOf(value.cause ?? '')].join('\n')
    : JSON.stringify(value)

const failure = (work: Promise<unknown>) => work.then(allOf, allOf)

test.each([400, 401, 403, 404, 409, 429, 500])('a refusal with %i', async status => {
  const send = answering(() => ({status, text: refusal(status)}))
  const client = createClient({baseUrl, token: async () => TOKEN, send})
  const text = await failure(client.call('files.get', {params: {fileId: 'x'}}))
  expect(text).toRead()
  expect(text).not.toContain(TOKEN)
})

test('parts of a batch, each refused in another way', async () => {
  const part = (index: number, status: number, type: string, body: string) =>
    [
      '--x',
      'Content-Type: application/http',
      `Content-ID: <response-B+${index}>`,
      '',
      `HTTP/1.1 ${status} Status`,
      `Content-Type: ${type}`,
      `X-OAuth-Scopes: ${TOKEN}`,
      `X-Accepted-OAuth-Scopes: ${TOKEN}`,
      `Location: https://${TOKEN}.example/${TOKEN}`,
      '',
      body,
      '',
    ].join('\r\n')
  const json = 'application/json'
  const text = [
    part(0, 403, json, refusal(403)),
    part(1, 500, 'text/plain', `no: Bearer ${TOKEN}.`),
    part(2, 302, json, ''),
    part(3, 200, TOKEN, 'no JSON'),
    '--x--\r\n',
  ].join('')
  const send = answering(({url}) =>
    url.includes('/batch')
      ? {text, headers: {'content-type': 'multipart/mixed; boundary=x'}}
      : {text: '{}'},
  )
  const client = createClient({baseUrl, token: async () => TOKEN, send})
  // Proves the token, so that the first call is part of the batch.
  await client.call('about.get', {params: {}})
  const calls = ['a', 'b', 'c', 'd'].map(fileId => ({
    id: 'files.trash' as const,
    input: {params: {fileId}},
  }))
  const outcomes = (await client.batch(calls))!
  const shown = outcomes.map(outcome => ('error' in outcome ? allOf(outcome.error) : 'done'))
  expect(shown[0]).toRead()
  expect(shown[1]).toRead()
  expect(shown).not.toContain('done')
  expect(shown.join('\n')).not.toContain(TOKEN)
})

test.each([
  ['a redirect', {status: 302, text: '', headers: {location: `https://${TOKEN}.example/`}}],
  ['something of another type', {text: 'x', headers: {'content-type': TOKEN}}],
])('%s', async (_, answer) => {
  const client = createClient({baseUrl, token: async () => TOKEN, send: answering(() => answer)})
  expect(await failure(client.call('files.get', {params: {fileId: 'x'}}))).not.toContain(TOKEN)
})

test('the owner and the scopes of the token', async () => {
  const body = {login: TOKEN, name: `${TOKEN} x`, email: TOKEN, id: 1}
  const send = answering(() => ({text: JSON.stringify(body)}))
  const found = await fetchTokenOwner(createSender({baseUrl, token: async () => TOKEN, send}))
  expect(found).toMatchObject({id: '1', login: '(token)', scopes: ['drive', '(token)']})
  expect(JSON.stringify(found)).not.toContain(TOKEN)
})

test('a token that was renewed meanwhile', async () => {
  const tokens = [TOKEN, 'drvp_another-token']
  const token = async () => (tokens.length > 1 ? tokens.shift() : tokens[0])
  const sender = createSender({baseUrl, token, send: answering(() => ({text: '{}'}))})
  await sender.send({method: 'GET', url: baseUrl})
  await sender.send({method: 'GET', url: baseUrl})
  expect(sender.hide(`${TOKEN} drvp_another-token`)).toBe('(token) (token)')
})

test('the check of a token by its app', async () => {
  const asked = {clientId: 'mine', clientSecret: 'secret-of-an-app', token: TOKEN}
  const basic = Buffer.from('mine:secret-of-an-app').toString('base64')
  const words = `${TOKEN} secret-of-an-app ${basic}`
  const refused = answering(() => ({status: 400, text: JSON.stringify({message: words})}))
  const text = await failure(checkAppToken({baseUrl, send: refused}, asked))
  expect(text).toRead()
  const known = answering(() => ({text: JSON.stringify({app: {name: words}, scopes: [TOKEN]})}))
  const {app, scopes} = await checkAppToken({baseUrl, send: known}, asked)
  expect([app.name, ...scopes]).toEqual(['(token) (token) (token)', '(token)'])
})

test.each([
  [
    'application/json',
    '{"error":"x","error_description":"no: secret\\u002dof-an-app, one-device-code"}',
  ],
  [
    'application/x-www-form-urlencoded',
    'error=x&error_description=no:+secret%2dof-an-app,+one-device-code',
  ],
])('the response of an authorization service to a form: %s', async (type, text) => {
  const send = answering(() => ({status: 400, headers: {'content-type': type}, text}))
  const post = createPost({authUrl: 'https://files.example.com', send})
  const form = {
    client_id: 'mine',
    client_secret: 'secret-of-an-app',
    device_code: 'one-device-code',
  }
  const fields = await readFields(await post('/login/oauth/access_token', form))
  expect(fields.get('error_description')).toRead()
})
