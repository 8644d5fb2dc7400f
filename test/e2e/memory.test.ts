import {once} from 'node:events'
import {readFileSync} from 'node:fs'
import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {join} from 'node:path'
import {gzipSync} from 'node:zlib'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {freshEnvironment, runDrv, temporaryFolder} from './drv.js'

/** What answers without measure cost in memory. */

const MB = 1_000_000
/** Peak resident memory in bytes. */
const MOST = 400 * MB

/** A page of so many bytes that has the piece again and again. */
const page = (size: number, piece: string) => {
  const pieces = Array.from({length: Math.floor(size / (piece.length + 1))}, () => piece)
  return `{"kind":"drive#fileList","items":[${pieces.join()}]}`
}

const long = (size: number, piece: string) =>
  `{"items":[{"kind":"drive#file","id":"a","title":"${piece.repeat(size / piece.length)}"}]}`

/** Records of which no two have the same fields. */
const strange = (size: number) =>
  `{"items":[${Array.from({length: size / 12}, (_, n) => `{"k${n}":1}`).join()}]}`

const refused: ReadonlyArray<readonly [name: string, text: string]> = [
  ['60 MB of tiny records', page(60 * MB, '{"id":"a"}')],
  ['60 MB of IDs of 20 digits', page(60 * MB, '{"id":"12345678901234567890"}')],
  ['60 MB of empty records', page(60 * MB, '{}')],
  ['60 MB of empty lists', page(60 * MB, '[]')],
  ['60 MB of lists in lists', `{"items":[{"a":${'['.repeat(60 * MB)}`],
  ['24 MB of tiny records', page(24 * MB, '{"id":"a"}')],
  ['24 MB of empty records', page(24 * MB, '{}')],
  ['lists in lists', `{"items":[{"a":${'['.repeat(2.6 * MB)}${']'.repeat(2.6 * MB)}}]}`],
]

const accepted: typeof refused = [
  ['as many tiny records as may be', page(5.4 * MB, '{"id":"a"}')],
  ['as many IDs of 20 digits', page(14 * MB, '{"id":"12345678901234567890"}')],
  ['as many numbers of 20 digits', page(13 * MB, '{"id":12345678901234567890}')],
  ['as many empty records', page(5.2 * MB, '{}')],
  ['as many records without a field in common', strange(5 * MB)],
  ['characters of a title', long(24 * MB, 'ab')],
  ['characters that are escaped', long(24 * MB, '\\u200e')],
]

let answer = Buffer.alloc(0)
const server = createServer((_, response) => {
  response.writeHead(200, {'content-type': 'application/json', 'content-encoding': 'gzip'})
  response.end(answer)
})
const home = temporaryFolder()
const report = join(home.path, 'peak')
/** What runs in `drv` besides, and writes how much memory it had at most, in bytes. */
const watcher = `
  import {writeFileSync} from 'node:fs'
  process.on('exit', () =>
    writeFileSync(${JSON.stringify(report)}, String(process.resourceUsage().maxRSS * 1024)))`

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
  ['files', 'list', '--format', 'table'],
  ['files', 'list', '--format', 'json'],
  ['files', 'get', 'ID', '--json'],
]

test.each(refused)('%s are refused before they take much memory', async (_, text) => {
  answer = gzipSync(text, {level: 1})
  const {code, stderr, peak} = await peakOf(['files', 'list'])
  expect(stderr).toMatch(/sent an answer of more than \d+ (bytes|values|levels), which no answer/)
  expect(code).toBe(8)
  expect(peak).toBeLessThan(MOST)
})

test.each(accepted)('%s are within bounds', async (_, text) => {
  answer = gzipSync(text, {level: 1})
  for (const args of commands) {
    const {code, stderr, peak} = await peakOf(args)
    expect(stderr).toBe('')
    expect(code).toBe(0)
    expect(peak).toBeLessThan(MOST)
  }
})
