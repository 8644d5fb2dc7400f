import {expect, test} from 'vitest'
import {commandSource, readCommandOutput, runTokenCommand} from '#lib/auth/token-command.js'
import {SetupError} from '#lib/platform/setup-error.js'

const AT = Date.parse('2026-11-23T12:00:00Z')

test.each([
  ['ya29.token\n', {token: 'ya29.token'}],
  ['  token  ', {token: 'token'}],
  ['{"token": "t"}', {token: 't'}],
  ['{"access_token": "t", "expires_in": 5}', {token: 't'}],
  ['{"token": "t", "expires_at": "2026-11-23T12:00:00Z"}', {token: 't', expiresAt: AT}],
  ['{"token": "t", "expires_at": 1795435200}', {token: 't', expiresAt: AT}],
  ['{"token": "t", "expires_at": "1795435200"}', {token: 't', expiresAt: AT}],
  ['{"token": "t", "expiresAt": "2026-11-23T12:00:00.000Z"}', {token: 't', expiresAt: AT}],
  ['{"access_token": "t", "expiration": "2026-11-23T13:00:00+01:00"}', {token: 't', expiresAt: AT}],
  ['{"token": "t", "expires_at": null}', {token: 't'}],
  ['{"token": "t", "expires_at": "soon"}', {token: 't'}],
  [
    '{"kind": "ExecCredential", "status": {"token": "t", "expirationTimestamp": "2026-11-23T12:00:00Z"}}',
    {token: 't', expiresAt: AT},
  ],
])('%s', (text, expected) => {
  expect(readCommandOutput(text)).toEqual(expected)
})

test.each([
  'two words',
  'a\nb',
  '{"token": ""}',
  '{"status": {}}',
  '{"token"',
  '{"token": 5}',
  '{}',
  '{"token": "a b"}',
])('%j is rejected', text => {
  expect(() => readCommandOutput(text)).toThrow(SetupError)
  expect(() => readCommandOutput(text)).toRead()
})

const never = new AbortController().signal
const run = (line: string, environment = {}, limits = {time: 20_000, length: 1000}) =>
  runTokenCommand(line, {
    environment: {PATH: process.env.PATH, ...environment},
    signal: never,
    limits,
  })

test('a shell command runs with the environment, except for the variable that runs it', async () => {
  const environment = {A: 'b', DRV_TOKEN_COMMAND: 'x', DRV_TOKEN: 'y'}
  const line = 'echo "$A-${DRV_TOKEN_COMMAND-none}-${DRV_TOKEN-none}" | tr a-z A-Z'
  expect(await run(line, environment)).toBe('B-NONE-NONE\n')
})

test('it does not read the standard input of drv', async () => {
  expect(await run('cat; echo end')).toBe('end\n')
})

test.each([
  ['exit 3', undefined],
  ['kill -9 $$', undefined],
  ['true', undefined],
  ['echo token; exit 1', undefined],
  ['no-such-command-at-all 2>/dev/null', undefined],
  ['yes secret-token', undefined],
  ['sleep 5', {time: 50, length: 10}],
  ['sleep 5 & wait', {time: 50, length: 10}],
])('%s returns no token', async (line, limits) => {
  const error = await run(line, {}, limits).catch((error: unknown) => error as SetupError)
  expect(error).toMatchObject({kind: 'sign-in'})
  expect(error).toRead()
})

test('it ends with the command that needs it', async () => {
  const controller = new AbortController()
  const asked = runTokenCommand('sleep 5', {environment: process.env, signal: controller.signal})
  const reason = new Error('Interrupted.')
  controller.abort(reason)
  await expect(asked).rejects.toBe(reason)
})

test('the next token is the output of the next run', async () => {
  let count = 0
  const {find, renew} = commandSource(async () => `token-${++count}`)
  const first = await find()
  expect(first).toEqual({token: 'token-1', source: 'DRV_TOKEN_COMMAND'})
  expect(await renew!(first!)).toMatchObject({token: 'token-2'})
})
