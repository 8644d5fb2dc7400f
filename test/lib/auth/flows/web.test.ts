import {request} from 'node:http'
import {describe, expect, test} from 'vitest'
import {SignInError} from '#lib/auth/errors.js'
import {callbackPage, checkCallbackUrl, openCallbackServer} from '#lib/auth/flows/callback.js'
import {signInWithWeb} from '#lib/auth/flows/web.js'
import {authorizeAddress, createAuthServer, readCallback} from '#lib/auth/server/auth-server.js'
import {notesOf} from '../../../support/page-notes.js'

const STATE = 'unguessable'
const FLOW = {
  authUrl: 'https://auth.example.com/base',
  clientId: 'app',
  clientSecret: 'secret',
  scopes: ['drive', 'drive.file'],
  state: STATE,
}
const TOKEN = {access_token: 'token', scope: 'drive,drive.file', token_type: 'bearer'}

interface Played {
  readonly result: string | Error
  readonly page?: {status: number; text: string}
  readonly form?: Readonly<Record<string, string>>
}

/** Runs a sign-in: a browser returns with `query`, and the token endpoint returns `answer`. */
async function play(
  query: (state: string) => Record<string, string>,
  answer: object = TOKEN,
  options: {patience?: number; signal?: AbortSignal; clientSecret?: string} = {},
): Promise<Played> {
  let visit: Promise<Played['page']> | undefined
  let form: Played['form']
  const result = await signInWithWeb({
    ...FLOW,
    signal: new AbortController().signal,
    ...options,
    server: createAuthServer({
      ...FLOW,
      ...options,
      async post(path, sent) {
        expect(path).toBe('/login/oauth/access_token')
        form = sent
        return {status: 200, contentType: 'application/json', body: JSON.stringify(answer)}
      },
    }),
    onAddress(address) {
      const {searchParams} = new URL(address)
      const back = new URL(searchParams.get('redirect_uri')!)
      const params = query(searchParams.get('state')!)
      if (Object.keys(params).length === 0) return
      back.search = new URLSearchParams(params).toString()
      visit = fetch(back).then(async response => ({
        status: response.status,
        text: await response.text(),
      }))
    },
  }).then(
    async ({grant, finish}) => {
      await finish()
      return grant.token
    },
    (error: unknown) => error as Error,
  )
  return {result, form, page: await visit}
}

describe('signInWithWeb', () => {
  test('exchanges the code of the browser for a token, and informs the browser', async () => {
    const {result, form, page} = await play(state => ({code: 'c0de', state}))
    expect(result).toBe('token')
    expect(form).toEqual({
      client_id: 'app',
      client_secret: 'secret',
      code: 'c0de',
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/) as string,
    })
    expect(page!.status).toBe(200)
    expect(notesOf(page!.text)).toRead()
  })

  test.each([
    ['another state', {code: 'c', state: 'guessed'}, 'state_mismatch'],
    ['no state', {code: 'c'}, 'state_mismatch'],
    ['a refusal without a state', {error: 'access_denied'}, 'state_mismatch'],
    ['a refusal', {error: 'access_denied', state: STATE}, 'access_denied'],
    ['a blocked app', {error: 'application_suspended', state: STATE}, 'application_suspended'],
    ['another callback', {error: 'redirect_uri_mismatch', state: STATE}, 'redirect_uri_mismatch'],
    ['something else', {error: 'odd', error_description: 'So <b>odd</b>.', state: STATE}, 'odd'],
    ['nothing', {state: STATE}, 'no_code'],
  ])('ends at %s, and the browser says so', async (_, query, code) => {
    const {result, form, page} = await play(() => query as unknown as Record<string, string>)
    expect(result).toBeInstanceOf(SignInError)
    expect(result).toMatchObject({code})
    expect(result).toRead()
    expect(form).toBeUndefined()
    expect(page!.status).toBe(400)
    expect(page!.text).toContain('failed')
    expect(page!.text).not.toContain('<b>')
  })

  test.each([
    [{error: 'bad_verification_code'}, 'bad_verification_code'],
    [{error: 'incorrect_client_credentials'}, 'incorrect_client_credentials'],
    [{error: 'unverified_user_email'}, 'unverified_user_email'],
  ])('ends if the token endpoint returns %j', async (answer, code) => {
    const {result, page} = await play(state => ({code: 'c', state}), answer)
    expect(result).toMatchObject({name: 'SignInError', code})
    expect((result as Error).message).toMatch(/drv|DRV/)
    expect(page!.status).toBe(400)
  })

  test.each([{}, {access_token: ''}, {access_token: 'a b'}])(
    'rejects the token %j',
    async answer => {
      const {result} = await play(state => ({code: 'c', state}), answer)
      expect(result).toMatchObject({name: 'ProtocolError'})
    },
  )

  test('sends no secret for an app without one, and reports if the service requires it', async () => {
    const web = {clientSecret: undefined}
    const {form} = await play(state => ({code: 'c', state}), TOKEN, web)
    expect(form).not.toHaveProperty('client_secret')
    const refusal = {error: 'incorrect_client_credentials'}
    const {result} = await play(state => ({code: 'c', state}), refusal, web)
    expect(result).toMatchObject({code: 'client_secret_missing', kind: 'configuration'})
  })

  test('ends if the browser does not return', async () => {
    const {result} = await play(() => ({}), TOKEN, {patience: 30})
    expect(result).toMatchObject({code: 'timed_out'})
  })

  test('ends with the command', async () => {
    const reason = new Error('Interrupted.')
    const {result} = await play(() => ({}), TOKEN, {signal: AbortSignal.abort(reason)})
    expect(result).toBe(reason)
  })
})

describe('openLanding', () => {
  const never = new AbortController().signal

  test('responds only to one GET of its path with its own host name', async () => {
    const landing = await openCallbackServer(never)
    const {origin, host, port} = new URL(landing.redirectUri)
    for (const path of ['/', '/favicon.ico', '/callback/more']) {
      expect((await fetch(origin + path)).status, path).toBe(404)
    }
    expect((await fetch(landing.redirectUri, {method: 'POST'})).status).toBe(404)
    const rebound = await new Promise<number | undefined>((resolve, reject) => {
      const headers = {host: `evil.example:${port}`}
      request(landing.redirectUri, {headers}, response => resolve(response.statusCode))
        .on('error', reject)
        .end()
    })
    expect(rebound).toBe(404)
    expect(host).toMatch(/^127\.0\.0\.1:\d+$/)

    const first = fetch(`${landing.redirectUri}?code=1`)
    const {query, answer} = await landing.callback
    expect(query.get('code')).toBe('1')
    await expect(fetch(`${landing.redirectUri}?code=2`)).rejects.toThrow()
    await answer()
    await answer('too late')
    const {status, headers} = await first
    expect(status).toBe(200)
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  })
})

test.each([
  'https://127.0.0.1:8085/callback',
  'http://127.0.0.1/callback',
  'http://example.com:8085/callback',
  'http://a:b@127.0.0.1:8085/',
  'http://127.0.0.1:8085/?a=b',
  'nowhere',
])('%s is not a valid callback', text => {
  expect(() => checkCallbackUrl(text)).toRead()
})

test('the browser may return to a chosen URL', async () => {
  const never = new AbortController().signal
  const free = await openCallbackServer(never)
  free.close()
  const {port} = new URL(free.redirectUri)
  const landing = await openCallbackServer(never, checkCallbackUrl(`http://localhost:${port}/back`))
  expect(landing.redirectUri).toBe(`http://localhost:${port}/back`)
  await expect(
    openCallbackServer(never, checkCallbackUrl(`http://127.0.0.1:${port}/back`)),
  ).rejects.toRead()
  const visit = fetch(`http://localhost:${port}/back?code=1`)
  const {query, answer} = await landing.callback
  expect(query.get('code')).toBe('1')
  await answer()
  expect((await visit).status).toBe(200)
})

test('the URL contains the requested parameters only', () => {
  const redirect = 'http://127.0.0.1:1234/callback'
  const plain = new URL(authorizeAddress(FLOW, redirect))
  expect(plain.origin + plain.pathname).toBe('https://auth.example.com/base/login/oauth/authorize')
  expect(Object.fromEntries(plain.searchParams)).toEqual({
    client_id: 'app',
    redirect_uri: redirect,
    scope: 'drive drive.file',
    state: STATE,
  })
  expect(plain.href).not.toContain('secret')
  const full = {...FLOW, login: 'alice', selectAccount: true, noSignUp: true}
  expect(Object.fromEntries(new URL(authorizeAddress(full, redirect)).searchParams)).toMatchObject({
    login: 'alice',
    prompt: 'select_account',
    allow_signup: 'false',
  })
})

test('a code is accepted only with the state that was sent', () => {
  expect(readCallback(new URLSearchParams({code: 'c', state: STATE}), STATE)).toBe('c')
  for (const state of ['', STATE.slice(1), `${STATE}x`, STATE.toUpperCase()]) {
    expect(() => readCallback(new URLSearchParams({code: 'c', state}), STATE)).toThrow(SignInError)
  }
})

test('the page escapes the message', () => {
  expect(callbackPage('<script>&"\'')).toContain('&#60;script&#62;&#38;&#34;&#39;')
})
