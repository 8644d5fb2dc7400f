import {once} from 'node:events'
import {readFileSync} from 'node:fs'
import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {join} from 'node:path'
import {gzipSync} from 'node:zlib'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import {formats} from '#lib/cli/output/formats.js'
import {freshEnvironment, runDrv, temporaryFolder} from '../../support/drv.js'
import {rounds} from '../../support/size.js'

/** The memory that excessive responses take. */

const MB = 1_000_000
/** Peak resident memory in bytes. */
const MOST = 400 * MB

/** A page of `bytes` bytes that repeats a piece. */
const page = (size: number, piece: string) => {
  const pieces = Array.from({length: Math.floor(size / (piece.length + 1))}, () => piece)
  return `{"kind":"drive#fileList","items":[${pieces.join()}]}`
}

const long = (size: number, piece: string) =>
  `{"items":[{"kind":"drive#file","id":"a","title":"${piece.repeat(size / piece.length)}"}]}`

/** Records without fields in common. */
const strange = (size: number) =>
  `{"items":[${Array.from({length: size / 12}, (_, n) => `{"k${n}":1}`).join()}]}`

const refused: ReadonlyArray<readonly [name: string, text: string]> = [
  ['60 MB of tiny records', page(60 * MB, '{"id":"a"}')],
  ['60 MB of IDs of 20 digits', page(60 * MB, '{"id":"12345678901234567890"}')],
  ['60 MB of empty records', page(60 * MB, '{}')],
  ['60 MB of empty lists', page(60 * MB, '[]')],
  ['60 MB of lists in lists', `{"items":[{"a":${'['.repeat(60 * MB)}`],
  ['16 MB of tiny records', page(16 * MB, '{"id":"a"}')],
  ['16 MB of empty records', page(16 * MB, '{}')],
  ['lists in lists', `{"items":[{"a":${'['.repeat(2.6 * MB)}${']'.repeat(2.6 * MB)}}]}`],
]

const accepted: typeof refused = [
  ['as many tiny records as may be', page(3.7 * MB, '{"id":"a"}')],
  ['as many IDs of 20 digits', page(9.7 * MB, '{"id":"12345678901234567890"}')],
  ['as many numbers of 20 digits', page(9.7 * MB, '{"id":12345678901234567890}')],
  ['as many empty records', page(2 * MB, '{}')],
  ['200,000 records without a field in common', strange(2.4 * MB)],
]

const texts: typeof refused = [
  ['characters of a title', long(16 * MB, 'ab')],
  ['characters that are escaped', long(16 * MB, '\\u200e')],
]

let pages: readonly Buffer[] = []
const server = createServer(({url}, response) => {
  const page = /[?&]pageToken=(\d+)/.exec(url!)?.[1] ?? 0
  response.writeHead(200, {'content-type': 'application/json', 'content-encoding': 'gzip'})
  response.end(pages[Number(page)])
})

/** Sets the response of the service, with the tokens of a few pages. */
function serve(text: string, count = 2): void {
  pages = Array.from({length: count}, (_, index) => {
    const token = index + 1 < count ? `{"nextPageToken":"${index + 1}",` : '{'
    return gzipSync(token + text.slice(1), {level: 1})
  })
}
const home = temporaryFolder()
const report = join(home.path, 'peak')
/** A script in the `drv` process that writes its peak memory in bytes. On Linux, `maxRSS` starts with that of the parent. */
const watcher = `
  import {readFileSync, writeFileSync} from 'node:fs'
  const peak = () => process.platform === 'linux'
    ? /^VmHWM:\\s+(\\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]
    : process.resourceUsage().maxRSS
  process.on('exit', () =>
    writeFileSync(${JSON.stringify(report)}, String(peak() * 1024)))`

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => {
  server.close()
  home.remove()
})

async function peakOf(args: readonly string[]) {
  const env = {
    ...freshEnvironment(home.path),
    DRV_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    DRV_TOKEN: 'token',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(watcher)}`,
  }
  const {code, stderr} = await runDrv(args, {env})
  return {code, stderr, peak: Number(readFileSync(report, 'utf8'))}
}

const commands = [
  ['files', 'list', '--all', '--format', 'tsv'],
  ['files', 'list', '--all', '--format', 'json'],
  ['files', 'get', 'ID', '--json'],
]

/** One of the commands, which differs from text to text, or all of them. */
const commandsFor = (text: string) =>
  commands.slice(text.length % commands.length).slice(0, rounds(1, commands.length))

test.each(refused)('%s are rejected before they take much memory', async (_, text) => {
  serve(text)
  const {code, stderr, peak} = await peakOf(['files', 'list'])
  expect(stderr).toRead()
  expect(code).toBe(8)
  expect(peak).toBeLessThan(MOST)
})

test('a missing name next to a title of 15 MB takes limited memory', async () => {
  const item = {
    id: 'a',
    title: 'ab'.repeat(7.5 * MB),
    mimeType: 'text/plain',
    parents: [{id: 'root'}],
  }
  const top = {id: 'root', title: 'My Drive', mimeType: FOLDER_TYPE}
  serve(JSON.stringify({...top, items: [item]}), 1)
  const {code, stderr, peak} = await peakOf(['stat', '/quarterly-report-2026-of-the-third.pdf'])
  expect(stderr).toRead()
  expect(code).toBe(5)
  expect(peak).toBeLessThan(MOST)
})

test.each(accepted)('pages of %s take limited memory', async (_, text) => {
  serve(text)
  for (const args of commandsFor(text)) {
    const {code, stderr, peak} = await peakOf(args)
    expect(stderr).toBe('')
    expect(code).toBe(0)
    expect(peak).toBeLessThan(MOST)
  }
})

test('a table of pages of tiny records takes limited memory', async () => {
  serve(page(1 * MB, '{"id":"a"}'))
  const {code, stderr, peak} = await peakOf(['files', 'list', '--all', '--format', 'table'])
  expect(stderr).toBe('')
  expect(code).toBe(0)
  expect(peak).toBeLessThan(MOST)
})

test.each(texts)('a page of %s takes limited memory', async (_, text) => {
  serve(text)
  for (const args of commandsFor(text)) {
    const {code, peak} = await peakOf(args.filter(word => word !== '--all'))
    expect(code).toBe(0)
    expect(peak).toBeLessThan(MOST)
  }
})

describe('5,000 files, in pages of 250', () => {
  const piece = JSON.stringify({
    kind: 'drive#file',
    id: '1'.repeat(33),
    title: 'A report with a title, "quotes" and 日本 😀',
    mimeType: 'application/pdf',
    fileSize: '1048576',
    modifiedDate: '2026-11-21T09:30:00.000Z',
    description: 'x'.repeat(6500),
  })
  const few = `{"items":[${Array.from({length: 250}, () => piece).join()}]}`

  test.each(Object.keys(formats))(
    'take no more memory than 1,000 as %s',
    async format => {
      const args = ['files', 'list', '--all', '--format', format]
      serve(few, 4)
      const some = await peakOf(args)
      serve(few, 20)
      const all = await peakOf(args)
      expect([some.code, all.code]).toEqual([0, 0])
      // The response has 7 to 34 MB as text, and more as values.
      expect(all.peak - some.peak).toBeLessThan(60 * MB)
    },
    180_000,
  )

  test('are counted by jq', async () => {
    serve(few, 20)
    const {code} = await peakOf(['files', 'list', '--all', '--jq', '.items | length'])
    expect(code).toBe(0)
  })
})
