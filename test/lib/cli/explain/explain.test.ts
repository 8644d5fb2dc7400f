import {Errors} from '@oclif/core'
import {describe, expect, test} from 'vitest'
import {scopes} from '#lib/api/description/scopes.js'
import {TemplateError} from '#lib/api/url-paths.js'
import {AuthServiceError} from '#lib/auth/errors.js'
import {UnknownScope} from '#lib/auth/scopes.js'
import {explain, failureJson, failureText} from '#lib/cli/explain/explain.js'
import {CommandError, Interrupted, TimedOut, UsageError} from '#lib/cli/terminal/errors.js'
import {exitCodes} from '#lib/cli/terminal/exit-codes.js'
import {InputError, NetworkError, ProtocolError, ServiceError} from '#lib/client/errors.js'
import {FEWER} from '#lib/client/limits.js'
import {SetupError} from '#lib/platform/setup-error.js'

const circumstances = {
  command: 'files get',
  flags: ['fields', 'download', 'supports-all-drives', 'page-token'],
  environmentToken: false,
}

const scopeDetails = {
  acceptedScopes: scopes('drive', 'drive.readonly'),
  tokenScopes: scopes('drive.appdata'),
}

const cases: ReadonlyArray<readonly [error: unknown, exit: number, message: string, hint: RegExp]> =
  [
    [
      new ServiceError(401, 'authError', 'Invalid Credentials'),
      4,
      'The service rejected the token: Invalid Credentials.',
      /^Run `drv auth login` to sign in\.$/,
    ],
    [
      new ServiceError(403, 'insufficientPermissions', 'Insufficient Permission', scopeDetails),
      6,
      'The token lacks a scope: it has drive.appdata and needs one of the scopes drive, drive.readonly.',
      /drv auth login --scope drive`/,
    ],
    [
      new ServiceError(403, 'insufficientPermissions', 'Insufficient Permission'),
      6,
      'Insufficient Permission.',
      /--scope SCOPE/,
    ],
    [
      new ServiceError(403, 'insufficientFilePermissions', 'You may not write.'),
      6,
      'You may not write.',
      /drv auth status/,
    ],
    [
      new ServiceError(403, 'userRateLimitExceeded', 'Too fast', {retryAfter: 7}),
      7,
      'Too fast.',
      /^Wait 7 s/,
    ],
    [
      new ServiceError(403, 'rateLimitExceeded', 'Too many', {retryAfter: 3541}),
      7,
      'Too many.',
      /^Wait 60 min, then try again\.$/,
    ],
    [
      new ServiceError(429, '', 'Too many', {retryAfter: 119}),
      7,
      'Too many.',
      /^Wait 119 s, then try again\.$/,
    ],
    [
      new ServiceError(429, '', 'Too many', {retryAfter: 120}),
      7,
      'Too many.',
      /^Wait 2 min, then try again\.$/,
    ],
    [
      new ServiceError(503, '', 'Busy', {retryAfter: 9}),
      8,
      'The service failed: Busy.',
      /^Wait 9 s, then try again\.$/,
    ],
    [
      new ServiceError(400, 'invalid', 'Wrong q', {location: 'q'}),
      1,
      'The service rejected the request: Wrong q.',
      /^Run `drv files get --help`/,
    ],
    [new ServiceError(403, 'storageQuotaExceeded', 'Full'), 7, 'Full.', /does not help/],
    [
      new ServiceError(403, 'numChildrenInNonRootLimitExceeded', 'Too many children'),
      7,
      'Too many children.',
      /does not help/,
    ],
    [new ServiceError(429, '', 'Too many requests'), 7, 'Too many requests.', /^Wait a moment/],
    [
      new ServiceError(404, 'notFound', 'Revision not found: x'),
      5,
      'Revision not found: x.',
      /no access\. Run `drv auth status`/,
    ],
    [new ServiceError(409, 'fileIdInUse', 'ID in use'), 12, 'ID in use.', /Check it/],
    [new ServiceError(412, 'conditionNotMet', 'Changed'), 12, 'Changed.', /Read it again/],
    [new ServiceError(410, 'updatedTooOld', 'Gone'), 5, 'Gone.', /page token/],
    [new ServiceError(413, 'uploadTooLarge', 'Too large'), 7, 'Too large.', /less/],
    [
      new ServiceError(400, 'invalidParameter', 'Invalid Value', {location: 'q'}),
      1,
      'The service rejected the request: Invalid Value (q).',
      /^Run `drv files get --help`/,
    ],
    [
      new ServiceError(400, 'invalidParameter', 'Invalid Value.', {location: 'pageToken'}),
      1,
      'The service rejected the request: Invalid Value (--page-token).',
      /--help/,
    ],
    [
      new ServiceError(507, 'storageQuotaExceeded', 'The disk is full: /data.'),
      7,
      'The disk is full: /data.',
      /until there is free space/,
    ],
    [
      new ServiceError(507, '', ''),
      7,
      'The service responded with status 507.',
      /until there is free space/,
    ],
    [
      new ServiceError(507, 'storageNotWritable', '/data is on a disk that cannot be written.'),
      1,
      '/data is on a disk that cannot be written.',
      /until the problem is fixed/,
    ],
    [
      new ServiceError(500, 'databaseDamaged', 'The database /data/drv.db is damaged.'),
      1,
      'The database /data/drv.db is damaged.',
      /backup/,
    ],
    [
      new ServiceError(503, 'backendError', ''),
      8,
      'The service responded with status 503.',
      /^Wait/,
    ],
    [
      new ServiceError(500, 'contentDamaged', 'The content is damaged.'),
      11,
      'The content is damaged.',
      /^Retrying does not help.*drv local check/,
    ],
    [
      new NetworkError('a.example refused the connection.', 'https://a.example/'),
      8,
      'a.example refused the connection.',
      /drv auth doctor/,
    ],
    [new ProtocolError('No JSON came.'), 8, 'No JSON came.', /URL/],
    [new ProtocolError('No ID. Try again later.'), 8, 'No ID. Try again later.', /^$/],
    [new ProtocolError(`Too large. ${FEWER}`), 8, `Too large. ${FEWER}`, /^$/],
    [
      new AuthServiceError('The one at X sent a page.', new ProtocolError('A page.')),
      8,
      'The one at X sent a page.',
      /^If the authorization service has a different URL/,
    ],
    [
      new AuthServiceError('The one at X is slow.', new ServiceError(429, '', 'Slow')),
      7,
      'The one at X is slow.',
      /^Wait a moment/,
    ],
    [new SetupError('sign-in', 'Not signed in.'), 4, 'Not signed in.', /^$/],
    [new SetupError('configuration', 'Broken.'), 10, 'Broken.', /^$/],
    [new SetupError('keychain', 'Locked.'), 10, 'Locked.', /^$/],
    [new UsageError('Too much.'), 2, 'Too much.', /^Run `drv files get --help`/],
    [new UsageError('Too much.', 'Take less.'), 2, 'Too much.', /^Take less\.$/],
    [
      new UnknownScope('drive.readonyl'),
      2,
      'Unknown scope: drive.readonyl.',
      /^Did you mean "drive\.readonly"\? Scopes: /,
    ],
    [
      new UnknownScope('metadata'),
      2,
      'Unknown scope: metadata.',
      /^Did you mean "drive\.metadata"\?/,
    ],
    [new UnknownScope('nosuch'), 2, 'Unknown scope: nosuch.', /^Scopes: drive, /],
    [
      new TemplateError('fileId', 'must not be empty'),
      2,
      'fileId must not be empty.',
      /^Run `drv files get --help`/,
    ],
    [
      new InputError('The content changed while it was sent. Try again.'),
      1,
      'The content changed while it was sent. Try again.',
      /^$/,
    ],
    [new CommandError('content', 'Damaged.', 'Again.'), 11, 'Damaged.', /^Again\.$/],
    [new CommandError('partial', 'Two of nine failed.'), 9, 'Two of nine failed.', /^$/],
    [new TimedOut(3), 8, 'Timed out after 3 s.', /--timeout/],
    [new Interrupted(), 130, 'Interrupted.', /^$/],
    [new Interrupted('Canceled.'), 130, 'Canceled.', /^$/],
    [Object.assign(new Error('x'), {name: 'AbortError'}), 130, 'Interrupted.', /^$/],
    [Object.assign(new Error('x'), {name: 'ExitPromptError'}), 130, 'Interrupted.', /^$/],
    [
      Object.assign(new Error('ENOSPC: no space'), {code: 'ENOSPC', path: '/tmp/a'}),
      1,
      'Cannot write /tmp/a: the disk is full.',
      /^$/,
    ],
    [
      Object.assign(new Error('ENOSPC: no space'), {code: 'ENOSPC'}),
      1,
      'Cannot write the output: the disk is full.',
      /^$/,
    ],
    [
      Object.assign(new Error('EIO: i/o error, read'), {code: 'EIO', syscall: 'read'}),
      1,
      'Cannot read the input: the device reported an I/O error.',
      /^$/,
    ],
    [new TypeError('x is not a function'), 1, 'Internal error: x is not a function.', /--debug/],
    ['a bare text', 1, 'Internal error: a bare text.', /--debug/],
    [
      new Errors.CLIError('Flag --fields expects a value'),
      2,
      'Missing value for --fields.',
      /--help/,
    ],
    [
      Object.assign(
        new Errors.CLIError('Nonexistent flag: --feilds=a\nSee more help with --help'),
        {
          flags: ['--feilds=a'],
        },
      ),
      2,
      'Unknown flag --feilds.',
      /^Did you mean --fields\?$/,
    ],
    [
      new Errors.CLIError(
        'The following error occurred:\n  \u001b[2mMissing required flag mime-type\u001b[22m\nSee more help with --help',
      ),
      2,
      'Missing --mime-type.',
      /--help/,
    ],
  ]

test.each(cases)('%s', (error, exit, message, hint) => {
  const failure = explain(error, circumstances)
  expect(failure.message).toBe(message)
  expect(failure.hint).toMatch(hint)
  expect(failure.exit).toBe(exit)
  expect(exitCodes[failure.code]).toBe(exit)
})

test.each([[403], [404]])(
  'a %i lists scopes only if one is missing, according to the response',
  status => {
    const known = {acceptedScopes: scopes('drive.appdata'), tokenScopes: scopes('drive.scripts')}
    const told = {acceptedScopes: scopes('drive'), tokenScopes: scopes('drive')}
    const hintOf = (details: object) =>
      explain(new ServiceError(status, 'any', 'No.', details), {...circumstances, ...known}).hint
    expect(hintOf(told)).toRead()
    expect(hintOf({acceptedScopes: scopes('drive')})).not.toMatch(/drive\.appdata/)
    expect(hintOf({tokenScopes: scopes('drive.appdata')})).toRead()
  },
)

test('the hint for a rejected token of the environment names the variable', () => {
  const error = new ServiceError(401, 'authError', 'Invalid Credentials')
  const {hint} = explain(error, {...circumstances, environmentToken: true})
  expect(hint).toContain('DRV_TOKEN')
})

describe('text from a service', () => {
  const error = new ServiceError(404, 'no\u001b[31mt', 'File \u001b]0;owned\u0007 not\nfound')

  test('cannot control a terminal', () => {
    const failure = explain(error, circumstances)
    expect(failure.message + failure.hint + failure.reason).not.toMatch(
      /[\u0000-\u001f\u007f-\u009f]/,
    )
  })

  test('stays one line as JSON, with the reason', () => {
    const text = failureJson(explain(error, circumstances))
    expect(text).not.toContain('\n')
    expect(JSON.parse(text)).toEqual({
      error: {
        code: 'notFound',
        status: 404,
        retryable: false,
        exit: 5,
        reason: 'no [31mt',
        message: 'File  ]0;owned  not found.',
        hint: expect.stringContaining('drv auth status'),
      },
    })
  })
})

test('people get a sentence, and the next step on a second line', () => {
  expect(failureText(explain(new UsageError('Too much.', 'Take less.'), circumstances))).toBe(
    'Error: Too much.\nTake less.',
  )
  expect(failureText(explain(new Interrupted(), circumstances))).toBe('Error: Interrupted.')
})

describe('an error as JSON', () => {
  const told = (error: unknown) =>
    (JSON.parse(failureJson(explain(error, circumstances))) as {error: object}).error

  test('has all fields, with null for missing values', () => {
    expect(told(new UsageError('That is wrong.', 'Do this.'))).toEqual({
      code: 'usage',
      exit: 2,
      status: null,
      reason: null,
      message: 'That is wrong.',
      hint: 'Do this.',
      retryable: false,
    })
    expect(told(new InputError('It has gone.'))).toMatchObject({hint: null})
  })

  test.each([
    [new ServiceError(503, 'backendError', 'Busy.'), 503, true],
    [new ServiceError(429, '', 'Slow down.'), 429, true],
    [new ServiceError(403, 'userRateLimitExceeded', 'Slow down.'), 403, true],
    [new ServiceError(403, 'storageQuotaExceeded', 'Full.'), 403, false],
    [new ServiceError(404, 'notFound', 'Not found.'), 404, false],
    [new NetworkError('Nobody answers.', 'http://127.0.0.1'), null, true],
    [new TimedOut(3), null, true],
  ])('%o has the status, and whether to retry', (error, status, retryable) => {
    expect(told(error)).toMatchObject({status, retryable})
  })
})

test.each([
  ['2026', 'Remote paths start with a slash: /2026'],
  ['-dash', 'Remote paths start with a slash: /-dash'],
  ['Holiday', 'Remote paths start with a slash: /Holiday'],
  ['1PpTkzHVJrSCSZF1m_lZto584-BIPs-nX', /^The ID may be wrong/],
])('a word %s that is not an ID may be a path', (word, hint) => {
  const error = new ServiceError(404, 'notFound', `File not found: ${word}.`)
  expect(explain(error, {flags: [], environmentToken: false}).hint).toMatch(hint)
})

test.each([
  [['ls', 'Reports/2026'], 'Remote paths start with a slash: /Reports/2026'],
  [['stat', 'id:Reports'], /^The ID may be wrong/],
  [['stat', 'https://drive.example.com/file/d/Reports/view'], /^The ID may be wrong/],
])('the suggested path is the typed one: %j', (typed, hint) => {
  const error = new ServiceError(404, 'notFound', 'File not found: Reports.')
  expect(explain(error, {flags: [], environmentToken: false, typed}).hint).toMatch(hint)
})

test.each([true, false])(
  'a token rejected by the local service may belong to another one (DRV_TOKEN: %s)',
  environmentToken => {
    const error = new ServiceError(401, 'authError', 'Invalid Credentials')
    const hintWith = (embedded: boolean) =>
      explain(error, {...circumstances, environmentToken, embedded}).hint
    const words = 'if the token belongs to another service, set DRV_BASE_URL to its URL'
    expect(hintWith(true)).toContain(words)
    expect(hintWith(false)).not.toContain(words)
  },
)
