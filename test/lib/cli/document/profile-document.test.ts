import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import nock from 'nock'
import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest'
import {description, descriptionAt} from '#lib/api/description/index.js'
import {createContext} from '#lib/cli/context/create-context.js'
import {documentPath, profileDocument} from '#lib/cli/document/profile-document.js'
import {globalOptions} from '#lib/cli/output/global-options.js'
import {guardNetwork} from '../../nock.js'

guardNetwork()

const BASE = 'https://files.example.com/api'
const FIRST = '/api/discovery/v1/apis/drive/v2/rest'
const SECOND = '/api/$discovery/rest?version=v2'
const DOCUMENT = {...descriptionAt('https://files.example.com/api/'), revision: '20990101'}
const TAG = '"one"'

let home: string
let caches: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'drv-described-'))
  caches = join(home, 'caches')
  // No waiting: retries happen at once.
  vi.spyOn(Math, 'random').mockReturnValue(0)
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(home, {recursive: true})
})

function environment(more: Readonly<Record<string, string>> = {}) {
  return {
    HOME: home,
    XDG_CACHE_HOME: caches,
    DRV_BASE_URL: BASE,
    DRV_TOKEN: 'a-token',
    ...more,
  }
}

/** The document and the messages of a command with these variables. */
async function found(more: Readonly<Record<string, string>> = {}) {
  const env = environment(more)
  const controller = new AbortController()
  const notes: string[] = []
  const context = createContext({
    options: globalOptions({}, env),
    environment: env,
    signal: controller.signal,
    stop: reason => controller.abort(reason),
    userAgent: 'drv/test',
  })
  try {
    const {note: _, ...rest} = context
    const result = await profileDocument({...rest, note: text => void notes.push(text)})
    return {...result, notes}
  } finally {
    await context.close()
  }
}

/** The service, which must be asked without a token or unusual headers. */
function service(...without: string[]) {
  return nock('https://files.example.com', {badheaders: ['authorization', 'cookie', ...without]})
}

/** Caches a document from the first address. */
async function keepOne(headers: Record<string, string> = {ETag: TAG}) {
  service().get(FIRST).reply(200, DOCUMENT, headers)
  await found()
}

const kept = () => documentPath({environment: environment()}, BASE)!

test('the document comes from the service, and is cached for its owner only', async () => {
  service().get(FIRST).reply(200, DOCUMENT, {ETag: TAG})
  const {document, json, from, source, notes} = await found()
  expect({from, source, notes}).toEqual({
    from: 'service',
    source: `https://files.example.com${FIRST}`,
    notes: [],
  })
  expect(json).toEqual(JSON.parse(JSON.stringify(DOCUMENT)))
  expect(document).toMatchObject({revision: '20990101', rootUrl: DOCUMENT.rootUrl})
  expect(readdirSync(join(caches, 'drv', 'descriptions'))).toHaveLength(1)
  expect(statSync(kept()).mode & 0o777).toBe(0o600)
  expect(readFileSync(kept(), 'utf8')).not.toContain('a-token')
})

test('the cached document is requested with its ETag', async () => {
  await keepOne()
  service().get(FIRST).matchHeader('if-none-match', TAG).reply(304, '', {ETag: TAG})
  const {document, from, notes} = await found()
  expect(from).toBe('service')
  expect(notes).toEqual([])
  expect(document.revision).toBe('20990101')
})

test('a changed document replaces the cached one', async () => {
  await keepOne()
  const changed = {...DOCUMENT, revision: '20990202'}
  service().get(FIRST).matchHeader('if-none-match', TAG).reply(200, changed, {ETag: '"two"'})
  expect((await found()).document.revision).toBe('20990202')
  service().get(FIRST).matchHeader('if-none-match', '"two"').reply(304)
  expect((await found()).document.revision).toBe('20990202')
})

test('without an ETag the whole document is requested', async () => {
  await keepOne({})
  service('if-none-match').get(FIRST).reply(200, DOCUMENT)
  expect(await found()).toMatchObject({from: 'service', notes: []})
})

test.each([404, 405, 401, 403])('after %i the second URL is requested', async status => {
  service().get(FIRST).reply(status, {}).get(SECOND).reply(200, DOCUMENT, {ETag: TAG})
  expect(await found()).toMatchObject({
    from: 'service',
    source: `https://files.example.com${SECOND}`,
    notes: [],
  })
  // The ETag belongs to that URL.
  service('if-none-match').get(FIRST).reply(404)
  service().get(SECOND).matchHeader('if-none-match', TAG).reply(304)
  expect(await found()).toMatchObject({from: 'service', notes: []})
})

const refused = Object.assign(new Error('refused'), {code: 'ECONNREFUSED'})
const deep = `{"kind":"discovery#restDescription","x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
const failures: ReadonlyArray<[string, () => nock.Scope, RegExp]> = [
  ['has none', () => service().get(FIRST).reply(404).get(SECOND).reply(404), /does not publish/],
  ['refuses', () => service().get(FIRST).replyWithError(refused), /refused the connection/],
  [
    'sends on',
    () => service().get(FIRST).reply(302, '', {location: '/x'}),
    /does not send the request there/,
  ],
  ['fails', () => service().get(FIRST).times(3).reply(500, {}), /500/],
  ['is busy', () => service().get(FIRST).reply(503, {}, {'retry-after': '60'}), /503/],
  ['limits', () => service().get(FIRST).reply(429, {}, {'retry-after': '60'}), /429/],
  ['breaks off', () => service().get(FIRST).reply(200, '{"kind":'), /not valid JSON/],
  ['sends a page', () => service().get(FIRST).reply(200, '<html>'), /not valid JSON/],
  [
    'sends another thing',
    () => service().get(FIRST).reply(200, {kind: 'x'}),
    /not a valid API description/,
  ],
  ['sends a list', () => service().get(FIRST).reply(200, '[]'), /not a valid API description/],
  ['sends what has no end', () => service().get(FIRST).reply(200, deep), /levels/],
  ['sends nothing', () => service().get(FIRST).reply(204), /not valid JSON/],
  ['has nothing newer', () => service().get(FIRST).reply(304), /304/],
]

describe('a service', () => {
  test.each(failures)('that %s is described by the built-in document', async (_, answer, why) => {
    answer()
    const {document, from, notes} = await found()
    expect(from).toBe('built-in')
    expect(document).toMatchObject({revision: description.revision, rootUrl: `${BASE}/`})
    expect(notes).toHaveLength(1)
    expect(notes[0]).toMatch(why)
    expect(notes[0]).toRead()
  })

  test.each(failures.slice(0, -1))(
    'that %s is described by the cached one',
    async (_, answer, why) => {
      await keepOne()
      answer()
      const {document, from, notes} = await found()
      expect(from).toBe('kept')
      expect(document.revision).toBe('20990101')
      expect(notes).toHaveLength(1)
      expect(notes[0]).toMatch(why)
      expect(notes[0]).toRead()
      expect(readFileSync(kept(), 'utf8')).toContain('20990101')
    },
  )
})

test.each([
  ['', 'nothing'],
  ['{"url":', 'half of it'],
  ['[]', 'a list'],
  ['{"url":"https://files.example.com/x","text":"{}"}', 'no description'],
  [`{"url":"https://files.example.com${FIRST}","etag":"a\\r\\nx: y","text":"{}"}`, 'a broken tag'],
])('a file with %j is ignored', async text => {
  mkdirSync(dirname(kept()), {recursive: true})
  writeFileSync(kept(), text)
  service().get(FIRST).replyWithError(refused)
  expect(await found()).toMatchObject({from: 'built-in'})
  await keepOne()
  service().get(FIRST).replyWithError(refused)
  expect(await found()).toMatchObject({from: 'kept'})
})

test('a folder in its place, or a directory that is not writable, is ignored', async () => {
  mkdirSync(kept(), {recursive: true})
  await keepOne()
  service().get(FIRST).reply(200, DOCUMENT)
  expect(await found()).toMatchObject({from: 'service', notes: []})
  writeFileSync(join(home, 'file'), '')
  service().get(FIRST).reply(200, DOCUMENT)
  const nowhere = {XDG_CACHE_HOME: join(home, 'file')}
  expect(await found(nowhere)).toMatchObject({from: 'service', notes: []})
})

test('each URL has its own document', async () => {
  await keepOne()
  nock('https://other.example.com').get('/discovery/v1/apis/drive/v2/rest').replyWithError(refused)
  const {from, notes} = await found({DRV_BASE_URL: 'https://other.example.com'})
  expect([from, notes.length]).toEqual(['built-in', 1])
  expect(notes[0]).toRead()
})

test('the local service returns its own document, with its current URL', async () => {
  nock.enableNetConnect('127.0.0.1')
  const env = {DRV_BASE_URL: '', XDG_DATA_HOME: join(home, 'data')}
  const {document, from, source, notes} = await found(env)
  expect({from, notes}).toEqual({from: 'service', notes: []})
  expect(source).toBe(`${document.rootUrl}discovery/v1/apis/drive/v2/rest`)
  expect(document.rootUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/)
  // The next time, its URL is different.
  expect(() => readdirSync(join(caches, 'drv', 'descriptions'))).toThrow('ENOENT')
})

test('a local service that cannot start is described by the built-in document', async () => {
  writeFileSync(join(home, 'file'), '')
  const {from, notes} = await found({DRV_BASE_URL: '', XDG_DATA_HOME: join(home, 'file')})
  expect(from).toBe('built-in')
  expect(notes).toHaveLength(1)
})

test('invalid settings are reported', async () => {
  await expect(found({DRV_BASE_URL: 'http://files.example.com'})).rejects.toThrow(/https/)
})
