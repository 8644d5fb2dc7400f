import {describe, expect, test} from 'vitest'
import {explain, failureText} from '#lib/cli/explain/explain.js'
import {causesOf404} from '#lib/cli/run/diagnose.js'
import {ServiceError} from '#lib/client/errors.js'

/** Errors of requests that may be caused by scopes, single sign-on or a lockout. */

const circumstances = {command: 'files get', flags: [], environmentToken: false}
const FULL = 'https://www.googleapis.com/auth/'

describe('403 and 404', () => {
  const takes = {
    ...circumstances,
    acceptedScopes: [`${FULL}drive`, `${FULL}drive.file`, `${FULL}drive.scripts`],
  }
  test.each([
    [
      404,
      ['photos'],
      'The token lacks a scope: it has drive.photos and needs one of the scopes LIST.',
    ],
    [404, ['file'], 'The token gives access only to files created with drv (scope: drive.file).'],
    [403, ['file'], 'The token gives access only to files created with drv (scope: drive.file).'],
  ])(
    'a %i with a token of %j shows the required scopes and those of the token',
    (status, own, words) => {
      const tokenScopes = own.map(name => `${FULL}drive.${name}`)
      const {hint} = explain(new ServiceError(status, 'x', 'No'), {...takes, tokenScopes})
      expect(hint).toMatch(/`drv auth status`/)
      expect(hint).toContain(` ${words.replace('LIST', 'drive, drive.file, drive.scripts')}`)
    },
  )

  test.each([
    [404, undefined],
    [403, undefined],
    [404, ['photos', 'scripts']],
    [403, ['photos', 'scripts']],
  ])(
    'a %i with a token of %j mentions no scope, because none is known to be missing',
    (status, own) => {
      const tokenScopes = own?.map(name => `${FULL}drive.${name}`)
      const {hint} = explain(new ServiceError(status, 'x', 'No'), {...takes, tokenScopes})
      expect(hint).toMatch(/`drv auth status`/)
      expect(hint).toRead()
    },
  )

  test('the scopes in the response take precedence', () => {
    const details = {acceptedScopes: [`${FULL}drive`], tokenScopes: []}
    const {hint} = explain(new ServiceError(404, '', 'No', details), {
      ...circumstances,
      acceptedScopes: [`${FULL}drive.file`],
      tokenScopes: [`${FULL}drive.file`],
    })
    expect(hint).toRead()
  })

  test('a 403 because of a scope says so, with any reason', () => {
    const details = {acceptedScopes: [`${FULL}drive`], tokenScopes: [`${FULL}drive.readonly`]}
    const failure = explain(new ServiceError(403, '', 'No', details), circumstances)
    expect(failure).toMatchObject({exit: 6})
    expect(failure.message).toRead()
  })

  test('a 403 despite a sufficient scope does not', () => {
    const details = {acceptedScopes: [`${FULL}drive`], tokenScopes: [`${FULL}drive`]}
    const failure = explain(
      new ServiceError(403, 'cannotShare', 'Not yours', details),
      circumstances,
    )
    expect(failure.message).toBe('Not yours.')
  })
})

describe('a 403 that is independent of the user', () => {
  test.each([
    ['fileNotExportable', /`drv files get ID --output PATH`/],
    ['fileNotDownloadable', /`drv files export`.*`drv pull`/],
    ['cannotDownloadAbusiveFile', /--acknowledge-abuse/],
    ['parentNotAFolder', /folder/],
    ['cannotAddParent', /--add-parents.*--remove-parents/],
  ])('%s names the alternative', (reason, hint) => {
    const details = {acceptedScopes: [`${FULL}drive`], tokenScopes: [`${FULL}drive`]}
    const failure = explain(new ServiceError(403, reason, 'No', details), circumstances)
    expect(failure).toMatchObject({exit: 6, message: 'No.'})
    expect(failure.hint).toMatch(hint)
    expect(failure.hint).not.toMatch(/auth status|scope/)
  })
})

describe('a 403 whose reason is the scope', () => {
  const told = (details: object) =>
    explain(new ServiceError(403, 'insufficientPermissions', 'Words.', details), circumstances)

  test('does not list unknown scopes, such as those of a fine-grained token', () => {
    const {message, hint} = told({acceptedScopes: [`${FULL}drive`]})
    expect(message).toBe('Words.')
    expect(hint).toRead()
    expect(hint).not.toMatch(/none/)
  })

  test('does not call a scope missing that the token has', () => {
    const scope = `${FULL}drive.metadata`
    const {message, hint} = told({acceptedScopes: [scope, `${FULL}drive`], tokenScopes: [scope]})
    expect(message).toBe('Words.')
    expect(hint).toRead()
  })
})

test('a lockout is named, and the hint is to wait', () => {
  const words = 'Maximum number of login attempts exceeded. Please try again later.'
  const error = new ServiceError(403, 'loginAttemptsExceeded', words, {retryAfter: 60})
  const failure = explain(error, circumstances)
  expect(failure).toMatchObject({code: 'signIn', exit: 4})
  expect(failure.message).toRead()
  expect(failure.hint).toRead()
})

test('single sign-on shows where to authorize, and for how long', () => {
  const url = 'https://auth.example.com/orgs/x/sso?authorization_request=1'
  const {message, hint} = explain(new ServiceError(403, '', 'No', {ssoUrl: url}), circumstances)
  expect(hint).toContain(url)
  expect(`${message}\n${hint}`).toRead()
})

test('single sign-on of the local service shows where it is while it runs', () => {
  const url = 'http://127.0.0.1:4711/orgs/x/sso?authorization_request=1'
  const error = new ServiceError(403, 'ssoRequired', 'No', {ssoUrl: url})
  const {hint} = explain(error, {...circumstances, embedded: true})
  expect(hint).not.toContain('4711')
  expect(hint).toRead()
})

describe('the probable causes of a 404', () => {
  const accepted = [`${FULL}drive`, `${FULL}drive.file`]
  test.each([
    [
      'no scope that would do',
      {own: [`${FULL}drive.scripts`], leftOut: []},
      [/lacks a scope.*drive\.scripts.*drive, drive\.file/],
    ],
    ['no scope at all', {own: [], leftOut: []}, [/it has none/]],
    [
      'only files of its own',
      {own: [`${FULL}drive.file`], leftOut: []},
      [/\(scope: drive\.file\)/],
    ],
    ['single sign-on', {own: [`${FULL}drive`], leftOut: ['7']}, [/single sign-on.*\(7\)/]],
    ['none of these', {own: [`${FULL}drive`], leftOut: []}, []],
    ['nothing known', {leftOut: []}, []],
  ])('%s', (_, findings, words) => {
    const causes = causesOf404({accepted, ...findings})
    expect(causes).toHaveLength(words.length)
    words.forEach((pattern, index) => expect(causes[index]).toMatch(pattern))
  })

  test('are printed line by line between message and hint', () => {
    const failure = explain(new ServiceError(404, '', 'Not found'), circumstances)
    expect(failureText({...failure, hint: 'Do.', causes: ['One.', 'Two.']})).toBe(
      'Error: Not found.\nProbable causes:\n- One.\n- Two.\nDo.',
    )
  })
})
