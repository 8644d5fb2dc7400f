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
  // Not every service returns the app of a token.
  [{login: 'a'}, false, 'app'],
])('%j, recorded as %s, is a token of the kind %s', (user, isGiven, kind) => {
  expect(tokenKindOf(user, isGiven)).toBe(kind)
})

test('the page is at the authorization service', () => {
  expect(tokensPageAddress({embedded: false, authUrl: 'https://auth.example.com'})).toBe(PAGE)
  expect(tokensPageAddress({embedded: true})).toContain('drv local serve')
})

test.each([[{user: {login: 'ada'}}], [{problem: REFUSED}], [{problem: AWAY}]])(
  'the error for a personal token with %j',
  checkup => {
    expect(personalToken(checkup, PAGE, 'old')).toRead()
  },
)

test.each([
  [{user: {login: 'ada'}}, {}],
  [{user: {login: 'ada'}}, {kind: 'app'}],
  [{user: {login: 'ada', clientId: 'mine'}}, {}],
  [{user: {login: 'ada', clientId: 'theirs'}}, {}],
  [{problem: REFUSED}, {}],
] as const)('the error for a token of another app with %j, recorded as %j', (checkup, known) => {
  const error = new NotOfApp('Not of the app.')
  const other = otherToken(error, checkup, {clientId: 'mine', ...known}, PAGE)
  expect(other).toRead()
  expect(other).toMatchObject({kind: 'sign-in'})
})
