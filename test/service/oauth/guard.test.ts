import {crc32} from 'node:zlib'
import {describe, expect, test} from 'vitest'
import {type ScopeName, scopes} from '#lib/api/description/scopes.js'
import {operation, operations} from '#lib/api/operations.js'
import {BUILTIN_CLIENT_ID} from '#lib/api/wire.js'
import {FileServiceError} from '#lib/service/errors.js'
import {authenticate, type Credentials} from '#lib/service/oauth/guard/authenticate.js'
import {apiVersionHeaders, authorize} from '#lib/service/oauth/guard/authorize.js'
import {lockedUntil} from '#lib/service/oauth/guard/lockout.js'
import {createApp, suspendApp} from '#lib/service/oauth/store/apps.js'
import {findToken, liveTokens, revokeToken} from '#lib/service/oauth/store/tokens.js'
import {mintToken, type NewToken} from '#lib/service/oauth/tokens/mint-token.js'
import {
  allScopes,
  covers,
  normalScopes,
  requestedScopes,
  unknownScopes,
} from '#lib/service/oauth/tokens/scopes.js'
import {base62, isSecret, randomText, secretHash} from '#lib/service/oauth/tokens/secrets.js'
import {openStore, type Store} from '#lib/service/store/index.js'
import {ensureUser, suspendUser} from '#lib/service/store/users.js'
import {openTestStore} from './calls.js'

const NOW = Date.UTC(2026, 10, 21, 9, 30)

function mint(store: Store, grant: Partial<NewToken> & {login?: string} = {}, now = NOW): string {
  const user = ensureUser(store, grant.login ?? 'anna', now)
  return mintToken(store, {scopes: scopes('drive'), ...grant, user}, now)
}

/** The result of a refused request. */
function refusal(work: () => unknown): FileServiceError {
  try {
    work()
  } catch (error) {
    if (error instanceof FileServiceError) return error
    throw error
  }
  throw new Error('Nothing was refused.')
}

function refused(store: Store, credentials: Credentials, now = NOW): FileServiceError {
  return refusal(() => authenticate(store, credentials, now))
}

const bearer = (token: string) => ({authorization: `Bearer ${token}`})

describe('a token', () => {
  test('is recognized by its prefix and checksum, and stored as a hash', () => {
    const store = openTestStore()
    const personal = mint(store)
    const ofApp = mint(store, {clientId: BUILTIN_CLIENT_ID})
    expect(personal).toMatch(/^drvp_[0-9A-Za-z]{36}$/)
    expect(ofApp).toMatch(/^drvo_[0-9A-Za-z]{36}$/)
    expect(base62(crc32(personal.slice(5, 35)), 6)).toBe(personal.slice(35))
    const rows = JSON.stringify(store.all('SELECT * FROM tokens'))
    expect(rows).not.toContain(personal)
    expect(rows).toContain(secretHash(personal))
  })

  test('is one of at most ten for the same user, app and scopes', () => {
    const store = openTestStore()
    const clientId = BUILTIN_CLIENT_ID
    const others = [
      mint(store, {clientId, scopes: scopes('drive.file')}),
      mint(store, {clientId, login: 'bert'}),
      mint(store),
    ]
    const tokens = Array.from({length: 12}, (_, i) => mint(store, {clientId}, NOW + i))
    const live = [...others, ...tokens].map(token => findToken(store, token, NOW + 20)?.live)
    expect(live).toEqual([...others.map(() => true), ...tokens.map((_, i) => i >= 2)])
    // The same scopes in another spelling.
    mint(store, {clientId, scopes: scopes('drive.readonly', 'drive')})
    expect(findToken(store, tokens[2]!, NOW + 20)?.live).toBe(false)
    mint(store, {clientId, scopes: ['drive']})
    expect(findToken(store, tokens[3]!, NOW + 20)?.live).toBe(false)
    expect(findToken(store, tokens[4]!, NOW + 20)?.live).toBe(true)
  })

  test('of another user is not counted', () => {
    const store = openTestStore()
    const tokens = Array.from({length: 12}, () => mint(store))
    expect(tokens.every(token => findToken(store, token, NOW)?.live)).toBe(true)
  })

  test('ends when it is revoked, when it expires, or with its app', () => {
    const store = openTestStore()
    const {clientId} = createApp(store, {name: 'Sync'}, NOW)
    const [revoked, expiring, ofApp] = [
      mint(store),
      mint(store, {expiresAt: NOW + 1000}),
      mint(store, {clientId}),
    ]
    const caller = authenticate(store, bearer(revoked), NOW)
    expect(revokeToken(store, caller.tokenId, NOW)).toBe(true)
    expect(revokeToken(store, caller.tokenId, NOW)).toBe(false)
    expect(authenticate(store, bearer(expiring), NOW + 999).user.login).toBe('anna')
    expect(authenticate(store, bearer(ofApp), NOW).clientId).toBe(clientId)
    suspendApp(store, clientId)
    for (const token of [revoked, expiring, ofApp]) {
      expect(refused(store, bearer(token), NOW + 1000).detail.reason).toBe('authError')
    }
    suspendApp(store, clientId, false)
    expect(liveTokens(store, caller.user.id, clientId, NOW)).toHaveLength(1)
  })
})

describe('authenticate', () => {
  test('accepts the header with either scheme, in any case, or the query', () => {
    const store = openTestStore()
    const token = mint(store)
    for (const scheme of ['Bearer', 'bearer', 'token', 'TOKEN', ' Bearer ']) {
      const authorization = `${scheme} ${token}`
      expect(authenticate(store, {authorization}, NOW)).toMatchObject({
        user: {login: 'anna', email: 'anna@example.com'},
        scopes: new Set(scopes('drive')),
      })
    }
    expect(authenticate(store, {queryToken: token}, NOW).clientId).toBeUndefined()
    expect(refused(store, {authorization: 'Bearer x', queryToken: token}).status).toBe(401)
  })

  test.each([
    ['no token', {}, 'required', 'Login Required', 'Bearer realm="drv"'],
    ['an empty header', {authorization: ' '}, 'required', 'Login Required', 'Bearer realm="drv"'],
    [
      'an unknown token',
      {authorization: 'Bearer x'},
      'authError',
      'Invalid Credentials',
      /invalid_token/,
    ],
    [
      'no token behind the scheme',
      {authorization: 'Bearer'},
      'authError',
      'Invalid Credentials',
      /invalid_token/,
    ],
    [
      'another scheme',
      {authorization: 'Digest x'},
      'authError',
      'Invalid Credentials',
      /invalid_token/,
    ],
    [
      'an unknown query token',
      {queryToken: 'x'},
      'authError',
      'Invalid Credentials',
      /invalid_token/,
    ],
    [
      'a password',
      {authorization: `Basic ${Buffer.from('anna:secret').toString('base64')}`},
      'authError',
      'Password authentication is not supported. Send an access token instead.',
      'Bearer realm="drv"',
    ],
  ])('rejects %s', (_, credentials, reason, message, challenge) => {
    const {status, detail, headers} = refused(openTestStore(), credentials)
    expect(status).toBe(reason === 'required' ? 403 : 401)
    expect(detail).toEqual({
      domain: 'global',
      reason,
      message,
      locationType: 'header',
      location: 'Authorization',
    })
    expect(headers['WWW-Authenticate']).toMatch(challenge)
  })
})

describe('the lockout', () => {
  const locked = 'Maximum number of login attempts exceeded. Please try again later.'

  /** A revoked token of anna, which still identifies her. */
  function revoked(store: Store): string {
    const token = mint(store)
    revokeToken(store, findToken(store, token, NOW)!.id, NOW)
    return token
  }

  test('locks a user out after ten bad credentials, including valid ones, for a minute', () => {
    const store = openTestStore()
    const [token, bad] = [mint(store), revoked(store)]
    for (let i = 0; i < 10; i++) {
      expect(authenticate(store, bearer(token), NOW + i * 1000).user.login).toBe('anna')
      expect(refused(store, bearer(bad), NOW + i * 1000).status).toBe(401)
    }
    const last = NOW + 9000
    const error = refused(store, bearer(token), last + 1)
    expect([error.status, error.message]).toEqual([403, locked])
    expect(error.headers['Retry-After']).toBe('60')
    expect(refused(store, bearer(bad), last + 59_999).status).toBe(403)
    expect(authenticate(store, bearer(mint(store, {login: 'bert'})), last).user.login).toBe('bert')
    expect(authenticate(store, bearer(token), last + 60_000).tokenId).toBe(1)
  })

  test('counts everything that identifies a user: revoked and expired tokens, and passwords', () => {
    const store = openTestStore()
    const token = mint(store)
    const old = mint(store, {expiresAt: NOW})
    const gone = revoked(store)
    const password = `Basic ${Buffer.from('Anna:x').toString('base64')}`
    for (let i = 0; i < 10; i++) {
      const authorization = [password, `token ${old}`, `Bearer ${gone}`][i % 3]
      expect(refused(store, {authorization}).status).toBe(401)
    }
    expect(refused(store, bearer(token)).message).toBe(locked)
    expect(refused(store, {queryToken: token}).message).toBe(locked)
    expect(authenticate(store, bearer(mint(store, {login: 'bert'})), NOW).user.login).toBe('bert')
  })

  test('does not lock out others for unknown credentials', () => {
    const store = openTestStore()
    const token = mint(store)
    const password = `Basic ${Buffer.from('nobody:x').toString('base64')}`
    for (let i = 0; i < 10; i++) {
      for (const authorization of ['Bearer bad', `Bearer ${i}`, 'Digest x', password]) {
        expect(refused(store, {authorization}).status).toBe(401)
      }
    }
    for (const authorization of ['Bearer bad', 'Digest x', password]) {
      expect(refused(store, {authorization}).message).toBe(locked)
    }
    expect(refused(store, bearer('another')).status).toBe(401)
    expect(authenticate(store, bearer(token), NOW).user.login).toBe('anna')
  })

  test('forgets attempts after a day', () => {
    const store = openTestStore()
    for (let i = 0; i < 5; i++) refused(store, bearer(`${i}`))
    refused(store, bearer('later'), NOW + 24 * 3600 * 1000)
    expect(store.all('SELECT * FROM attempts')).toHaveLength(1)
  })

  test('is not caused by requests without a token, nor by rare failures', () => {
    const store = openTestStore()
    const token = mint(store)
    for (let i = 0; i < 20; i++) refused(store, {})
    const bad = revoked(store)
    for (let i = 0; i < 20; i++) refused(store, bearer(bad), NOW + i * 7000)
    expect(authenticate(store, bearer(token), NOW + 20 * 7000).tokenId).toBe(1)
  })

  test('does not exist before 1970', () => {
    const store = openTestStore()
    const token = mint(store)
    expect(authenticate(store, bearer(token), Date.UTC(1969, 5, 1)).tokenId).toBe(1)
  })

  test('is shared by all processes', () => {
    const store = openTestStore()
    const [token, bad] = [mint(store), revoked(store)]
    const other = openStore(store.directory)
    try {
      for (let i = 0; i < 5; i++) refused(store, bearer(bad))
      for (let i = 0; i < 5; i++) refused(other, bearer(bad))
      for (const process of [store, other]) {
        expect(refused(process, bearer(token), NOW + 59_999).status).toBe(403)
      }
      expect(authenticate(store, bearer(token), NOW + 60_000).tokenId).toBe(1)
    } finally {
      other.close()
    }
  })

  test.each([
    [[], undefined],
    [[100], undefined],
    [[100, 1], 150],
    [[100, 90, 0], 150],
    [[100, 0], undefined],
    [[-100, -110], -50],
  ])('after failures at %j ends at %s', (failures, end) => {
    expect(lockedUntil(failures, {count: 2, window: 100, lock: 50})).toBe(end)
  })
})

describe('authorize', () => {
  const caller = (...names: ScopeName[]) => {
    const store = openTestStore()
    return authenticate(store, bearer(mint(store, {scopes: scopes(...names)})), NOW)
  }

  test('allows a caller with one of the scopes', () => {
    expect(authorize(operation('files.get'), caller('drive.readonly', 'drive.appdata'))).toEqual({
      'X-OAuth-Scopes': scopes('drive.appdata', 'drive.readonly').join(', '),
      'X-Accepted-OAuth-Scopes': operation('files.get').scopes.join(', '),
    })
  })

  test('refuses others, and names the sufficient scopes', () => {
    const error = refusal(() => authorize(operation('files.insert'), caller('drive.readonly')))
    expect([error.status, error.detail.reason]).toEqual([403, 'insufficientPermissions'])
    expect(error.message).toRead()
    expect(error.headers).toMatchObject({
      'X-OAuth-Scopes': scopes('drive.readonly').join(', '),
      'X-Accepted-OAuth-Scopes': operation('files.insert').scopes.join(', '),
    })
    expect(error.headers['WWW-Authenticate']).toContain('error="insufficient_scope"')
    const none = refusal(() => authorize(operation('about.get'), caller()))
    expect(none.headers['X-OAuth-Scopes']).toBe('')
  })
})

describe('scopes', () => {
  test('omit those that another one includes', () => {
    expect(
      requestedScopes('drive.file  drive,https://www.googleapis.com/auth/drive.scripts x'),
    ).toEqual(scopes('drive', 'drive.scripts'))
    expect(requestedScopes('')).toEqual([])
    expect(unknownScopes('drive repo')).toEqual(['repo'])
    expect(covers(scopes('drive'), scopes('drive.readonly'))).toBe(true)
    expect(covers(scopes('drive.readonly'), scopes('drive'))).toBe(false)
    expect(covers([], [])).toBe(true)
  })

  test('can be omitted only if the other scope allows the same operations', () => {
    for (const {operationId, scopes: accepted} of operations) {
      for (const scope of accepted) {
        for (const holder of allScopes()) {
          if (holder === scope || normalScopes([scope, holder]).includes(scope)) continue
          expect(accepted, `${operationId}: ${holder} in the place of ${scope}`).toContain(holder)
        }
      }
    }
  })

  test('together allow every operation', () => {
    for (const {scopes: accepted} of operations) {
      expect(accepted.some(scope => allScopes().includes(scope))).toBe(true)
    }
  })
})

test('the version header is returned, or refused', () => {
  const selected = {'X-Service-Api-Version-Selected': '2022-11-28'}
  expect(apiVersionHeaders({})).toEqual(selected)
  expect(apiVersionHeaders({'x-service-api-version': '2022-11-28'})).toEqual(selected)
  for (const version of ['', 'latest', '2022-11-29']) {
    const error = refusal(() => apiVersionHeaders({'x-service-api-version': version}))
    expect([error.status, error.detail.location]).toEqual([400, 'X-Service-Api-Version'])
  }
})

test('random text uses each character of its alphabet with equal probability', () => {
  // 250 of 256 bytes are a multiple of ten: the rest is passed over.
  const bytes = (count: number) => Buffer.from(Array.from({length: count}, (_, i) => 249 + i))
  expect(randomText(bytes, 7, '0123456789')).toBe('9999999')
  expect(isSecret('a', secretHash('a'))).toBe(true)
  expect(isSecret('b', secretHash('a'))).toBe(false)
})

describe('the owner and the expiry of a token', () => {
  test('a suspended user is refused, and admitted again', () => {
    const store = openTestStore()
    const token = mint(store)
    const user = ensureUser(store, 'anna', NOW)
    suspendUser(store, user, true, NOW)
    expect(refused(store, bearer(token))).toMatchObject({
      status: 403,
      detail: {reason: 'accountSuspended'},
    })
    suspendUser(store, user, false, NOW)
    expect(authenticate(store, bearer(token), NOW).user.login).toBe('anna')
  })

  test('a year without use ends a token, and use extends it', () => {
    const store = openTestStore()
    const YEAR = 365 * 24 * 3600 * 1000
    const [used, unused] = [mint(store), mint(store)]
    authenticate(store, bearer(used), NOW + YEAR - 1)
    expect(refused(store, bearer(unused), NOW + YEAR).detail.reason).toBe('authError')
    expect(authenticate(store, bearer(used), NOW + YEAR).tokenId).toBe(1)
    expect(refused(store, bearer(used), NOW + 2 * YEAR).detail.reason).toBe('authError')
  })

  test('the response contains the expiry of a token', () => {
    const store = openTestStore()
    const token = mint(store, {expiresAt: Date.UTC(2027, 0, 2, 3, 4, 5, 678)})
    const headers = authorize(operation('about.get'), authenticate(store, bearer(token), NOW))
    expect(headers['X-Service-Authentication-Token-Expiration']).toBe('2027-01-02 03:04:05 UTC')
  })

  test('a fine-grained token is limited to its permissions, whatever its scopes', () => {
    const store = openTestStore()
    const token = mint(store, {scopes: [], permissions: {files: 'read'}})
    expect(token).toMatch(/^drvf_/)
    const caller = authenticate(store, bearer(token), NOW)
    const table = [
      ['about.get', true],
      ['files.get', true],
      ['children.list', true],
      ['files.insert', false],
      ['permissions.list', false],
    ] as const
    for (const [id, allowed] of table) {
      if (allowed) authorize(operation(id), caller)
      else expect(refusal(() => authorize(operation(id), caller)).status, id).toBe(403)
    }
  })
})
