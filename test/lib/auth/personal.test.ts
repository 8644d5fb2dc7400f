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
  [{user: {login: 'ada'}}, /^This is a personal access token of ada, and it works\./],
  [{problem: REFUSED}, /^The service does not accept the personal access token of old any more/],
  [{problem: AWAY}, /^a\.example refused/],
])('of a personal token with %j it is said what is known', (checkup, words) => {
  expect(personalToken(checkup, PAGE, 'old').message).toMatch(words)
})

test.each([
  [{user: {login: 'ada'}}, {}, /^This is a personal access token of ada/],
  [{user: {login: 'ada'}}, {kind: 'app'}, /^Not of the app/],
  [{user: {login: 'ada', clientId: 'mine'}}, {}, /^Not of the app/],
  [{user: {login: 'ada', clientId: 'theirs'}}, {}, /^The app theirs got this token, not mine\./],
  [{problem: REFUSED}, {}, /^Not of the app/],
] as const)('of a token with %j, noted as %j, that is not of the app', (checkup, known, words) => {
  const error = new NotOfApp('Not of the app.')
  const told = otherToken(error, checkup, {clientId: 'mine', ...known}, PAGE)
  expect(told.message).toMatch(words)
  expect(told).toMatchObject({kind: 'sign-in'})
})
