import type {RequestListener, ServerResponse} from 'node:http'
import {Readable} from 'node:stream'
import {buffer} from 'node:stream/consumers'
import {beforeEach, describe, expect, test} from 'vitest'
import {createClient} from '#lib/client/index.js'
import {isTooSlow} from '#lib/client/transport/silence.js'
import {passTime, stopTimers} from '../../../support/clock.js'
import {serve} from '../../../support/serve.js'

/** Endless responses: which ones time out, and which ones do not. */

const MINUTE = 60_000

test.each([
  ['in the first minute it may be silent', 1, 0, false],
  ['after two of them a byte a second is too slow', 2, 60, true],
  ['and so is a little less than a kilobyte', 2, 60 * 1024 - 1, true],
  ['a kilobyte a second is worth waiting for', 2, 60 * 1024, false],
  ['for as long as it comes', 100, 60 * 1024, false],
  ['and no longer', 101, 60, true],
])('%s', (_, periods, bytes, expected) => {
  expect(isTooSlow(periods, MINUTE, bytes)).toBe(expected)
})

/** What a client treats as a minute, in milliseconds. */
const SHORT_MINUTE = 1000

beforeEach(stopTimers)

async function clientOf(answer: RequestListener) {
  const {url: baseUrl} = await serve(answer)
  return createClient({baseUrl, token: async () => 'token', timeout: SHORT_MINUTE})
}

/** Writes something repeatedly until the connection closes. */
function drip(response: ServerResponse, piece: string | Buffer) {
  const timer = setInterval(() => response.write(piece), 10)
  response.on('close', () => clearInterval(timer))
}

describe('an endless response', () => {
  const session = '/upload/drive/v2/files?upload_id=a'
  const upload = {open: () => Readable.from([Buffer.alloc(9)]), size: 9}
  type Client = Awaited<ReturnType<typeof clientOf>>
  const requests: ReadonlyArray<
    readonly [status: number, what: string, work: (client: Client) => Promise<unknown>]
  > = [
    [200, 'a record', client => client.call('about.get', {params: {}})],
    [200, 'no record', client => client.call('files.delete', {params: {fileId: 'a'}})],
    [200, 'an upload', client => client.call('files.insert', {params: {}, upload})],
    [200, 'a new session', client => client.uploads.start('files.insert', {params: {}, upload})],
    [308, 'the state of a session', client => client.uploads.status(session, 9)],
    [499, 'the end of a session', client => client.uploads.cancel(session)],
    [200, 'a batch', client => client.batch([{id: 'files.get', input: {params: {fileId: 'a'}}}])],
  ]

  test.each(requests)('times out: %i, %s', async (status, _, work) => {
    const client = await clientOf((request, response) => {
      request.resume()
      response.writeHead(status, {location: session, 'content-type': 'application/json'})
      drip(response, ' ')
    })
    const error = await passTime(work(client)).catch((error: unknown) => error)
    expect(error).toMatchObject({name: 'NetworkError'})
    expect(error).toRead()
  })

  test('is still a refusal if it starts as one', async () => {
    const client = await clientOf((_, response) => {
      response.writeHead(403)
      drip(response, ' ')
    })
    const call = client.call('about.get', {params: {}})
    await expect(passTime(call)).rejects.toMatchObject({status: 403})
  })

  test('is read while enough data arrives', async () => {
    const client = await clientOf((_, response) => {
      response.write('{"name":"Ada"')
      drip(response, Buffer.alloc(1024, ' '))
      setTimeout(() => response.end('}'), 4 * SHORT_MINUTE)
    })
    expect(await passTime(client.call('about.get', {params: {}}))).toEqual({name: 'Ada'})
  })
})

test('content may arrive at any speed', async () => {
  const client = await clientOf((_, response) => {
    drip(response, 'x')
    setTimeout(() => response.end(), 4 * SHORT_MINUTE)
  })
  const {stream} = await passTime(client.download('files.get', {params: {fileId: 'a'}}))
  expect((await passTime(buffer(stream))).length).toBeGreaterThan(10)
})
