import {expect, test} from 'vitest'
import {AuthServiceError, authServiceOf, signInError, withAuthService} from '#lib/auth/errors.js'
import {grantOf} from '#lib/auth/server/responses.js'
import {NetworkError, ProtocolError, ServiceError} from '#lib/client/errors.js'

const URL_GIVEN = 'https://auth.example.com'
const PLACE = {url: URL_GIVEN, source: 'from DRV_AUTH_URL'}
const NAMED = 'The authorization service at https://auth.example.com (from DRV_AUTH_URL)'

test.each([
  [{sources: {baseUrl: 'default', authUrl: 'environment'}}, 'from DRV_AUTH_URL'],
  [{sources: {baseUrl: 'profile', authUrl: 'profile'}}, 'from profile "work"'],
  [{sources: {baseUrl: 'flag', authUrl: 'flag'}}, 'from a flag'],
  [{sources: {baseUrl: 'environment', authUrl: 'default'}}, 'default: the URL of the file service'],
  [{}, 'the local service, because DRV_BASE_URL is not set'],
] as const)('the URL of %j is %s', (settings, source) => {
  expect(authServiceOf({profile: 'work', ...settings}, URL_GIVEN)).toEqual({url: URL_GIVEN, source})
})

test.each([
  [
    new NetworkError('auth.example.com refused the connection. Check it.', URL_GIVEN),
    `${NAMED} did not respond: auth.example.com refused the connection. Check it.`,
  ],
  [
    new ProtocolError('auth.example.com sent an answer of more than 9 bytes.'),
    `${NAMED}: auth.example.com sent an answer of more than 9 bytes.`,
  ],
  [
    new ProtocolError('The authorization service sends requests on to x.'),
    `${NAMED} sends requests on to x.`,
  ],
  [new ServiceError(403, 'rateLimitExceeded', 'Too many'), `${NAMED}: Too many`],
])('%s is reported with the URL', (error, message) => {
  const told = withAuthService(error, PLACE)
  expect(told).toBeInstanceOf(AuthServiceError)
  expect(told).toMatchObject({message, cause: error})
})

test('an invalid response is reported with the URL', () => {
  const answer = () => grantOf(200, new Map())
  expect(answer).toThrow(ProtocolError)
  try {
    answer()
  } catch (error) {
    expect((withAuthService(error, PLACE) as Error).message).toRead()
  }
})

test.each([
  ['incorrect_client_credentials', 'configuration', `${NAMED} does not know this client ID.`],
  ['quite_new', 'sign-in', `${NAMED} rejected the sign-in: quite_new.`],
  ['device_flow_disabled', 'configuration', 'The authorization service is at https://auth.example'],
])('a refusal is reported with the URL: %s', (code, kind, words) => {
  const told = withAuthService(signInError(code), PLACE)
  expect(told).toMatchObject({name: 'SignInError', code, kind})
  expect((told as Error).message).toContain(words)
  expect((told as Error).message.match(/auth\.example\.com/g)).toHaveLength(1)
})

test.each([signInError('access_denied'), new Error('Interrupted.'), 'text'])(
  'errors caused by the user are unchanged: %s',
  error => {
    expect(withAuthService(error, PLACE)).toBe(error)
  },
)

test.each([
  'expired_token',
  'access_denied',
  'device_flow_disabled',
  'incorrect_client_credentials',
  'incorrect_device_code',
  'application_suspended',
  'unsupported_grant_type',
  'bad_verification_code',
  'redirect_uri_mismatch',
  'unverified_user_email',
  'invalid_client',
  'invalid_scope',
  'invalid_grant',
  'client_secret_missing',
  'state_mismatch',
  'no_code',
  'timed_out',
  'quite_new',
])('the message for %s, with a code and in a browser', code => {
  for (const flow of ['device', 'web'] as const) {
    expect(signInError(code, 'Words & <more>.', flow)).toRead()
  }
})
