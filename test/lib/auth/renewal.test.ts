import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect, onTestFinished, test} from 'vitest'
import {AuthServiceError, signInError} from '#lib/auth/errors.js'
import {renewStored} from '#lib/auth/renewal.js'
import type {TokenGrant} from '#lib/auth/server/responses.js'
import {
  readRefreshToken,
  readStoredToken,
  writeRefreshToken,
  writeToken,
} from '#lib/auth/store/entries.js'
import type {CredentialStore} from '#lib/auth/store/store.js'
import {NetworkError, ServiceError} from '#lib/client/errors.js'
import type {ProfileServer} from '#lib/config/config.js'
import type {Settings} from '#lib/config/settings.js'
import {SetupError} from '#lib/platform/setup-error.js'

const SERVER: ProfileServer = {clientId: 'app', authUrl: 'https://auth.example.com'}
const SETTINGS: Settings = {
  profile: 'work',
  embedded: false,
  clientId: 'app',
  binding: 'https://files.example.com',
}
const OLD = {token: 'old', expiresAt: 1000}
const NOW = 5000

type Answer = TokenGrant | Error

/**
 * A store with an expired token, and a server with these responses in order; `killed` is the number of writes
 * left.
 */
async function world(...answers: Answer[]) {
  const folder = mkdtempSync(join(tmpdir(), 'drv-'))
  onTestFinished(() => rmSync(folder, {recursive: true}))
  const kept = new Map<string, string>()
  const life = {writes: Infinity}
  const store: CredentialStore = {
    getPassword: async (_, account) => kept.get(account) ?? null,
    async setPassword(_, account, text) {
      if (life.writes-- <= 0) throw new Error('killed')
      kept.set(account, text)
    },
    deletePassword: async (_, account) => kept.delete(account),
    tryOut: async () => undefined,
    locks: folder,
  }
  await writeToken(() => store, SETTINGS, OLD)
  await writeRefreshToken(store, SETTINGS, {server: SERVER, refreshToken: 'r1'})
  const asked: string[] = []
  const renewing = {
    settings: SETTINGS,
    server: SERVER,
    store,
    async refresh(refreshToken: string) {
      asked.push(refreshToken)
      await Promise.resolve()
      const answer = answers.shift()!
      if (answer instanceof Error) throw answer
      return answer
    },
    now: () => NOW,
  }
  return {
    store,
    asked,
    life,
    renewing,
    renew: (server = SERVER) => renewStored({...renewing, server}, OLD),
    refreshToken: () => readRefreshToken(store, SETTINGS, SERVER),
    token: () => readStoredToken(store, SETTINGS),
  }
}

const grant = (name: string, refreshToken?: string): TokenGrant => ({
  token: name,
  expiresAt: NOW + 1e6,
  refreshToken,
})
const lost = new AuthServiceError(
  'The authorization service gave no answer.',
  new NetworkError('The connection broke off.', 'https://auth.example.com', {
    cause: Object.assign(new Error('reset'), {code: 'ECONNRESET'}),
  }),
)
const away = new AuthServiceError(
  'The authorization service gave no answer.',
  new NetworkError('It refused the connection.', 'https://auth.example.com', {
    cause: Object.assign(new Error('refused'), {code: 'ECONNREFUSED'}),
  }),
)
const busy = (status: number) => new AuthServiceError('Busy.', new ServiceError(status, '', 'Busy'))
const refusal = (code: string, words?: string) => signInError(code, words)

test('the new tokens are stored, and an unchanged refresh token is kept', async () => {
  const {renew, token, refreshToken} = await world(grant('new', 'r2'))
  expect(await renew()).toEqual({token: 'new', expiresAt: NOW + 1e6})
  expect([await token(), await refreshToken()]).toEqual([
    {token: 'new', expiresAt: NOW + 1e6},
    'r2',
  ])
  const other = await world(grant('new'))
  await other.renew()
  expect(await other.refreshToken()).toBe('r1')
})

test('concurrent requests renew once, and all use the new token', async () => {
  const {renew, asked} = await world(grant('new', 'r2'))
  const tokens = await Promise.all(Array.from({length: 20}, () => renew()))
  expect(tokens.map(found => found?.token)).toEqual(Array.from({length: 20}, () => 'new'))
  expect(asked).toEqual(['r1'])
})

test('a refresh token is sent to no other server, and for no other app', async () => {
  for (const server of [
    {...SERVER, authUrl: 'https://evil.example.com'},
    {...SERVER, clientId: 'other'},
    {clientId: 'app'},
    {clientId: 'app', issuer: 'https://a.example', tokenUrl: 'https://evil.example.com/token'},
  ]) {
    const {renew, asked} = await world(grant('new'))
    expect(await renew(server)).toBeUndefined()
    expect(asked).toEqual([])
  }
})

test.each([lost, busy(502)])('a lost response is requested once more: %s', async error => {
  const {renew, asked} = await world(error, grant('new', 'r2'))
  expect(await renew()).toMatchObject({token: 'new'})
  expect(asked).toEqual(['r1', 'r1'])
  const twice = await world(error, error)
  await expect(twice.renew()).rejects.toBe(error)
  expect(await twice.refreshToken()).toBe('r1')
})

test.each([away, busy(429), refusal('temporarily_strange')])(
  'nothing is deleted or requested again: %s',
  async error => {
    const {renew, asked, refreshToken, token} = await world(error)
    await expect(renew()).rejects.toBe(error)
    expect(asked).toEqual(['r1'])
    expect([await refreshToken(), await token()]).toEqual(['r1', OLD])
  },
)

test.each([
  ['invalid_grant', undefined],
  ['bad_refresh_token', undefined],
  ['invalid_request', 'Refresh token is invalid or has already been claimed by another client.'],
])('%s ends the sign-in', async (code, words) => {
  const {renew, refreshToken, asked} = await world(refusal(code, words))
  const error = await renew().catch((error: unknown) => error as SetupError)
  expect(error).toMatchObject({kind: 'sign-in'})
  expect(error).toRead()
  expect(await refreshToken()).toBeUndefined()
  expect(await renew()).toBeUndefined()
  expect(asked).toEqual(['r1'])
})

test('a renewal by another machine does not end the sign-in', async () => {
  const {renewing, store} = await world(refusal('invalid_grant'), grant('new', 'r3'))
  let count = 0
  const refresh = async (refreshToken: string) => {
    if (count++ === 0)
      await writeRefreshToken(store, SETTINGS, {server: SERVER, refreshToken: 'r2'})
    return renewing.refresh(refreshToken)
  }
  expect(await renewStored({...renewing, refresh}, OLD)).toMatchObject({token: 'new'})
  expect(await readRefreshToken(store, SETTINGS, SERVER)).toBe('r3')
})

test.each(['invalid_client', 'unauthorized_client', 'incorrect_client_credentials'])(
  '%s names the variable, and deletes nothing',
  async code => {
    const {renew, refreshToken} = await world(refusal(code))
    const error = await renew().catch((error: unknown) => error as SetupError)
    expect(error).toMatchObject({kind: 'configuration'})
    expect(error).toRead()
    expect(await refreshToken()).toBe('r1')
  },
)

test('Google gives no reason, so the probable one is shown', async () => {
  const server = {
    clientId: 'app',
    issuer: 'https://accounts.google.com',
    tokenUrl: 'https://oauth2.googleapis.com/token',
  }
  const {store, renewing} = await world(refusal('invalid_grant'))
  await writeRefreshToken(store, SETTINGS, {server, refreshToken: 'g1'})
  await expect(renewStored({...renewing, server}, OLD)).rejects.toRead()
})

test('a kill between the writes loses nothing', async () => {
  for (const writes of [0, 1]) {
    const {renew, life, token, refreshToken} = await world(grant('new', 'r2'), grant('newer', 'r3'))
    life.writes = writes
    await expect(renew()).rejects.toThrow('killed')
    expect(await token()).toEqual(OLD)
    expect(await refreshToken()).toBe(writes === 0 ? 'r1' : 'r2')
    life.writes = Infinity
    expect(await renew()).toMatchObject({token: 'newer'})
  }
})

test('a token that cannot be stored is not requested', async () => {
  const {renewing, store, asked} = await world(grant('new'))
  const failure = new SetupError('keychain', 'The disk is read-only.')
  const readOnly = {...store, tryOut: () => Promise.reject(failure)}
  await expect(renewStored({...renewing, store: readOnly}, OLD)).rejects.toBe(failure)
  expect(asked).toEqual([])
})
