import {chmodSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect, onTestFinished, test} from 'vitest'
import {operations} from '#lib/api/operations.js'
import {checkLines, failed} from '#lib/cli/account/doctor/check.js'
import {
  certificatesCheck,
  clientCheck,
  clockCheck,
  issuerChecks,
  proxyChecks,
} from '#lib/cli/account/doctor/network.js'
import {
  keychainCheck,
  scopesCheck,
  settingsChecks,
  tokenChecks,
  tokenTextCheck,
} from '#lib/cli/account/doctor/settings.js'
import {NetworkError, ServiceError} from '#lib/client/errors.js'
import type {ProfileServer} from '#lib/config/config.js'
import {SetupError} from '#lib/platform/setup-error.js'

const NOON = Date.parse('2026-11-23T12:00:00Z')

test.each([
  ['the same second', NOON, NOON + 200, 'ok', 'agrees'],
  ['an answer that took a minute', NOON - 60_000, NOON + 1000, 'ok', 'agrees'],
  ['two minutes ahead', NOON + 121_000, NOON + 121_100, 'warning', '2 minutes ahead of'],
  ['an hour behind', NOON - 3_600_100, NOON - 3_600_000, 'failed', '60 minutes behind'],
  ['days ahead', NOON + 3 * 86_400_000, NOON + 3 * 86_400_000, 'failed', '3 days ahead of'],
])('a clock with %s', (_, sent, answered, state, words) => {
  const check = clockCheck('Mon, 23 Nov 2026 12:00:00 GMT', [sent, answered])
  expect(check).toMatchObject({name: 'clock', state})
  expect(check.found).toContain(words)
})

test.each([undefined, 'noon'])(
  'without the time of a service (%s) the clock is not checked',
  date => {
    expect(clockCheck(date, [NOON, NOON]).state).toBe('skipped')
  },
)

test('each host has its route, and an invalid proxy variable is an error', () => {
  const both = ['https://files.example.com', 'https://files.example.com/x', 'https://sign.example']
  const env = {HTTPS_PROXY: 'http://ada:secret@proxy.example:3128', NO_PROXY: 'sign.example'}
  const found = proxyChecks(both, env).map(({found}) => found)
  expect(found).toEqual([
    'files.example.com through the proxy http://proxy.example:3128 (HTTPS_PROXY)',
    'sign.example directly: NO_PROXY lists it',
  ])
  const [wrong] = proxyChecks(['https://files.example.com'], {HTTPS_PROXY: 'socks5://x'})
  expect(wrong).toMatchObject({state: 'failed', exit: 'usage'})
})

test('certificates of Node, of a file, of a missing file, and unverified ones', () => {
  const folder = mkdtempSync(join(tmpdir(), 'drv-doctor-'))
  onTestFinished(() => rmSync(folder, {recursive: true}))
  const file = join(folder, 'own.pem')
  writeFileSync(file, '-----BEGIN CERTIFICATE-----\n')
  const stateFor = (env: Record<string, string>) => certificatesCheck(env).state
  expect(stateFor({})).toBe('ok')
  expect(stateFor({NODE_EXTRA_CA_CERTS: file})).toBe('ok')
  expect(stateFor({NODE_EXTRA_CA_CERTS: join(folder, 'none')})).toBe('failed')
  expect(stateFor({NODE_TLS_REJECT_UNAUTHORIZED: '0'})).toBe('warning')
})

test.each([
  ['yes', true, 'ok'],
  ['unclear', true, 'skipped'],
  ['no device flow', true, 'warning'],
  ['no', true, 'failed'],
  ['suspended', true, 'failed'],
  ['no', false, 'warning'],
] as const)('a client ID, known: %s, needed: %s', (known, isNeeded, state) => {
  expect(clientCheck(known, 'app', isNeeded).state).toBe(state)
})

const PLACES = {config: undefined, data: '/data', state: undefined}
const NO_OPTIONS = {} as Parameters<typeof settingsChecks>[0]['options']
const settingsFor = (environment: Record<string, string>) =>
  settingsChecks({options: NO_OPTIONS, environment, directories: PLACES})

test('URLs and where they come from, without tokens', async () => {
  const env = {DRV_BASE_URL: 'https://files.example.com', DRV_TOKEN: 'two words'}
  const {checks, settings} = await settingsFor(env)
  expect(checks.map(({found}) => found)).toEqual([
    'no profiles yet (in no directory)',
    'files at https://files.example.com (DRV_BASE_URL)',
    'sign-in at https://files.example.com (the same host)',
  ])
  expect(settings?.environmentToken).toBeUndefined()
  const inside = await settingsFor({})
  expect(inside.checks.at(-1)?.found).toRead()
})

test.skipIf(process.platform === 'win32')(
  'a configuration that others can write is reported',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'drv-doctor-'))
    onTestFinished(() => rmSync(folder, {recursive: true}))
    const directories = {...PLACES, config: folder}
    const look = () => settingsChecks({options: NO_OPTIONS, environment: {}, directories})
    writeFileSync(join(folder, 'config.json'), '{"profiles": {}}', {mode: 0o600})
    expect((await look()).checks[0]?.state).toBe('ok')
    chmodSync(join(folder, 'config.json'), 0o666)
    expect((await look()).checks[0]).toMatchObject({state: 'warning', name: 'configuration'})
  },
)

test('an invalid URL is an error, and there are no settings', async () => {
  const {checks, settings} = await settingsFor({DRV_BASE_URL: 'nowhere'})
  expect(checks.at(-1)).toMatchObject({name: 'addresses', state: 'failed', exit: 'setup'})
  expect(settings).toBeUndefined()
})

const storeWith = (tryOut: () => Promise<void>) => () =>
  ({tryOut}) as unknown as ReturnType<Parameters<typeof keychainCheck>[2]>
const works = storeWith(async () => {})
const broken = storeWith(async () => {
  throw new SetupError('keychain', 'The keychain is locked.')
})
const never = () => {
  throw new Error('Nobody may ask it.')
}

test.each([
  ['works', {}, undefined, works, 'ok'],
  ['is locked', {}, undefined, broken, 'failed'],
  ['is not asked with a token of the environment', {}, 'token', never, 'skipped'],
  ['is not asked where a file was chosen', {tokenStore: 'file'}, undefined, never, 'skipped'],
  ['is not asked with a token in a file', {signIn: {store: 'file'}}, undefined, never, 'skipped'],
] as const)('a keychain that %s', async (_, settings, token, store, state) => {
  const check = await keychainCheck(settings as Parameters<typeof keychainCheck>[0], token, store)
  expect(check.state).toBe(state)
})

test('the error for a malformed DRV_TOKEN does not contain it', () => {
  expect(tokenTextCheck(undefined)).toBeUndefined()
  expect(tokenTextCheck('gho_fine')).toBeUndefined()
  const check = tokenTextCheck('two words')!
  expect(check).toMatchObject({name: 'token', state: 'failed', exit: 'signIn'})
  expect(JSON.stringify(check)).not.toContain('two words')
})

test('a working token shows its owner, and its scopes the operations that they allow', () => {
  const found = {token: 'secret', source: 'DRV_TOKEN'} as const
  const [token, scopes] = tokenChecks({found, user: {login: 'ada'}})
  expect(token?.state).toBe('ok')
  expect(token?.found).toRead()
  const expiresAt = NOON
  const [ending] = tokenChecks({found: {...found, expiresAt}, user: {login: 'ada'}})
  expect(ending?.found).toContain('2026-11-23T12:00:00Z')
  expect(ending?.found).toRead()
  const user = {login: 'ada'}
  const [renewed] = tokenChecks({found: {...found, expiresAt}, user, isRenewable: true})
  expect(renewed?.found).toRead()
  // The service does not report the scopes of fine-grained tokens.
  expect(scopes?.state).toBe('skipped')
  const [refused, unknown] = tokenChecks({found, problem: new SetupError('sign-in', 'No.')})
  expect(refused).toMatchObject({state: 'failed', exit: 'signIn'})
  expect(unknown?.state).toBe('skipped')
})

test.each([
  ['DRV_TOKEN', false, 'The token comes from DRV_TOKEN. Set it to a new token, or unset it'],
  ['DRV_TOKEN', true, 'set DRV_BASE_URL to its URL'],
  ['file', false, 'Run `drv auth login` to sign in.'],
] as const)(
  'a refused token of %s (embedded: %s) has its own advice',
  (source, embedded, words) => {
    const problem = new ServiceError(401, 'authError', 'Invalid Credentials')
    const [check] = tokenChecks({found: {token: 'secret', source}, problem}, embedded)
    expect(check).toMatchObject({state: 'failed', exit: 'signIn'})
    expect(check?.advice).toContain(words)
  },
)

test('metadata that differs from the sign-in is a warning', () => {
  const [issuer, tokenUrl] = ['https://sso.example.com', 'https://sso.example.com/token']
  const metadata = {issuer, token_endpoint: tokenUrl, authorization_endpoint: `${issuer}/auth`}
  const names = (server?: ProfileServer) =>
    issuerChecks({metadata}, server).map(({name, state}) => `${name} ${state}`)
  const found = ['authorization service ok', 'client ID skipped']
  expect(names()).toEqual(found)
  expect(names({clientId: 'app', issuer, tokenUrl})).toEqual(found)
  const changed = {clientId: 'app', issuer, tokenUrl: 'https://old.example.com/token'}
  expect(names(changed)).toEqual(['issuer warning', ...found])
  expect(issuerChecks({metadata}, changed)[0]?.found).toRead()
  expect(names({clientId: 'app', authUrl: 'https://files.example.com'})).toContain('issuer warning')
})

test('no failed check advises to run the doctor', () => {
  const error = new NetworkError('a.example refused the connection.', 'https://a.example/')
  expect(failed('token', error)).toMatchObject({state: 'failed', advice: undefined})
  expect(tokenChecks({problem: error})[0]?.advice).toBeUndefined()
})

test('scopes', () => {
  const all = operations.flatMap(({scopes}) => scopes)
  expect(scopesCheck(all).found).toRead()
  expect(scopesCheck([])).toMatchObject({state: 'warning'})
  expect(scopesCheck(['other\u001b[31m']).found).not.toContain('\u001b')
})

test('on a narrow terminal, the advice is below the finding', () => {
  const check = {name: 'token', state: 'failed', found: 'It is gone.', advice: 'Sign in.'} as const
  expect(checkLines(check, {width: 60, color: false})).toRead()
})
