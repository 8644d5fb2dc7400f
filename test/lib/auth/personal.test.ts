import {expect, test} from 'vitest'
import {
  NotOfApp,
  otherToken,
  personalToken,
  tokenKindOf,
  tokensPageAddress,
} from '#lib/auth/check.js'
import {NetworkError, ServiceError} from '#lib/client/errors.js'

const PAGE = 'https://auth.example.com/settings/tokens'
const REFUSED = new ServiceError(401, '', 'Bad credentials')
const AWAY = new NetworkError('a.example refused the connection.', 'https://a.example')

test.each([
  [{login: 'a'}, true, 'personal'],
  [{login: 'a', clientId: 'x'}, true, 'app'],
  // Not every service tells which app it was.
  [{login: 'a'}, false, 'app'],
])('%j, given: %s, has a token of the kind %s', (user, isGiven, kind) => {
  expect(tokenKindOf(user, isGiven)).toBe(kind)
})

test('the page is at the authorization service', () => {
  expect(tokensPageAddress({embedded: false, authUrl: 'https://auth.example.com'})).toBe(PAGE)
  expect(tokensPageAddress({embedded: true})).toContain('drv local serve')
})

test.each([
  [{user: {login: 'ada'}}, /^The token is a valid personal access token of ada;/],
  [{problem: REFUSED}, /^The personal access token of old was revoked or has expired\./],
  [{problem: AWAY}, /^a\.example refused/],
])('the error for a personal token with %j', (checkup, words) => {
  expect(personalToken(checkup, PAGE, 'old').message).toMatch(words)
})

test.each([
  [{user: {login: 'ada'}}, {}, /^The token is a valid personal access token of ada/],
  [{user: {login: 'ada'}}, {kind: 'app'}, /^Not of the app/],
  [{user: {login: 'ada', clientId: 'mine'}}, {}, /^Not of the app/],
  [
    {user: {login: 'ada', clientId: 'theirs'}},
    {},
    /^This token belongs to the app theirs, not to mine\./,
  ],
  [{problem: REFUSED}, {}, /^Not of the app/],
] as const)(
  'the error for a token of another app with %j, recorded as %j',
  (checkup, known, words) => {
    const error = new NotOfApp('Not of the app.')
    const other = otherToken(error, checkup, {clientId: 'mine', ...known}, PAGE)
    expect(other.message).toMatch(words)
    expect(other).toMatchObject({kind: 'sign-in'})
  },
)
