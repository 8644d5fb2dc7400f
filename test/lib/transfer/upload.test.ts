import {appendFileSync, mkdtempSync, rmSync, utimesSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import {Readable} from 'node:stream'
import {afterEach, describe, expect, onTestFinished, test} from 'vitest'
import {ServiceError} from '#lib/client/errors.js'
import {SESSION_THRESHOLD} from '#lib/client/upload/outgoing.js'
import {handlers} from '#lib/service/handlers/index.js'
import {reserveIds} from '#lib/transfer/ids.js'
import type {ContentSource} from '#lib/transfer/types.js'
import {uploadFile} from '#lib/transfer/upload.js'
import {failureText} from '../../support/failure-text.js'
import {bytes, md5, type Place, startPlace} from './world.js'

const MIB = 1024 * 1024
const LARGE = 9 * MIB + 345
const CHUNK = 3 * MIB

let place: Place
afterEach(() => place?.close())

const insert = (path: string, title = 'it') => ({
  operation: 'files.insert' as const,
  params: {},
  body: {title},
  source: {path, chunkSize: CHUNK},
})

/** The final state: one file with this content in the service, and nothing left locally. */
async function expectOnce(content: Buffer, title = 'it') {
  const found = await place.listed(title)
  expect(found.map(file => [file.md5Checksum, file.fileSize])).toEqual([
    [md5(content), String(content.length)],
  ])
  expect(place.left()).toEqual([])
}

describe('small content', () => {
  test.each([0, 1, 4096, 3 * MIB])(
    'of %i bytes takes one request, after one for its ID',
    async size => {
      place = await startPlace()
      const content = bytes(size)
      const record = await uploadFile(place.process(), insert(place.file('a', content)))
      expect(record).toMatchObject({title: 'it', md5Checksum: md5(content)})
      expect(place.requests).toEqual([
        'GET /drive/v2/files/generateIds',
        'POST /upload/drive/v2/files multipart',
      ])
      await expectOnce(content)
    },
  )

  test.each([
    ['5xx before it is done', {fault: 'status', status: 503, first: 2}],
    ['a reset halfway', {fault: 'reset', after: 1000, first: 1}],
    ['an answer that is lost', {fault: 'lose', first: 1}],
    ['an answer that is cut short', {fault: 'truncate', after: 20, first: 1}],
    ['too many requests', {fault: 'status', status: 429, retryAfter: 3, first: 1}],
    [
      'a rate limit of a 403',
      {fault: 'status', status: 403, reason: 'rateLimitExceeded', first: 2},
    ],
  ])('arrives once despite %s', async (_, fault) => {
    place = await startPlace([{operations: 'files.insert', ...fault}])
    const content = bytes(5000)
    const record = await uploadFile(place.process(), insert(place.file('a', content)))
    expect(record.md5Checksum).toBe(md5(content))
    await expectOnce(content)
  })

  test('up to the limit needs no session, and one more byte needs one', async () => {
    place = await startPlace()
    const files = [SESSION_THRESHOLD, SESSION_THRESHOLD + 1].map(size => bytes(size))
    for (const content of files) {
      const source = {path: place.file('a', content)}
      await uploadFile(place.process(), {...insert(''), source})
    }
    const kinds = place.requests.filter(line => /^POST .*upload/.test(line))
    expect(kinds.map(line => line.split(' ')[2])).toEqual(['multipart', 'resumable'])
  })

  test('Retry-After is respected', async () => {
    const fault = {fault: 'status', status: 429, retryAfter: 30, first: 1}
    place = await startPlace([{operations: 'files.insert', ...fault}])
    await uploadFile(place.process(), insert(place.file('a', 'x')))
    expect(place.slept).toEqual([31_500])
  })

  test('a permanent refusal is reported at once, and nothing is recorded', async () => {
    const fault = {fault: 'status', status: 403, reason: 'storageQuotaExceeded'}
    place = await startPlace([{operations: 'files.insert', ...fault}])
    const upload = uploadFile(place.process(), insert(place.file('a', 'x')))
    await expect(upload).rejects.toMatchObject({reason: 'storageQuotaExceeded'})
    expect(place.slept).toEqual([])
    expect(place.left()).toEqual([])
  })

  test('the selected fields are requested', async () => {
    place = await startPlace([{operations: 'files.insert', fault: 'lose', first: 1}])
    const upload = {...insert(place.file('a', 'x')), params: {fields: 'title,fileSize'}}
    expect(await uploadFile(place.process(), upload)).toEqual({title: 'it', fileSize: '1'})
  })

  test('an ID chosen by the user that another file has is a conflict', async () => {
    place = await startPlace()
    const {client} = place.process()
    const ids = (await client.call('files.generateIds', {params: {}}))!.ids as string[]
    const upload = {...insert(place.file('a', 'x')), body: {title: 'it', id: ids[0]!}}
    await uploadFile(place.process(), upload)
    await expect(uploadFile(place.process(), upload)).rejects.toMatchObject({status: 409})
    await expectOnce(Buffer.from('x'))
  })

  test('content that becomes an editor document has no ID', async () => {
    place = await startPlace()
    const upload = {
      ...insert(place.file('a.csv', 'a,b\n')),
      params: {convert: 'true'},
      mimeType: 'text/csv',
    }
    const {mimeType} = await uploadFile(place.process(), upload)
    expect(mimeType).toBe('application/vnd.google-apps.spreadsheet')
    expect(place.requests).toEqual(['POST /upload/drive/v2/files multipart'])
  })

  test('nor has a type without reserved IDs', async () => {
    let refusals = 0
    place = await startPlace([], {
      handlers: {
        'files.insert': call => {
          if (call.body.id !== undefined) {
            refusals += 1
            call = {...call, body: {...call.body, id: 'not-one-of-yours'}}
          }
          return handlers['files.insert'](call)
        },
      },
    })
    await uploadFile(place.process(), insert(place.file('a', 'x')))
    expect(refusals).toBe(1)
    await expectOnce(Buffer.from('x'))
  })

  test.each([
    ['lost', {fault: 'lose', first: 1}],
    ['reset', {fault: 'reset', after: 100, first: 1}],
  ])('new content of a file arrives, with one more revision (%s)', async (_, fault) => {
    place = await startPlace([{operations: 'files.update', ...fault}])
    const {id} = await uploadFile(place.process(), insert(place.file('a', 'old')))
    const path = place.file('b', 'new')
    const update = {
      operation: 'files.update' as const,
      params: {fileId: String(id)},
      source: {path},
    }
    expect(await uploadFile(place.process(), update)).toMatchObject({md5Checksum: md5('new')})
    const {body} = await place.service.json('GET', `files/${String(id)}/revisions`)
    expect(body.items).toHaveLength(2)
  })
})

describe('new content of unknown media type', () => {
  async function typeAfter(before: string, content: Buffer) {
    place = await startPlace()
    const metadata = {body: {title: 'it', mimeType: before}}
    const {body} = await place.service.json('POST', 'files', metadata)
    const params = {fileId: String(body.id)}
    const source = {path: place.file('b', content), chunkSize: CHUNK}
    const update = {operation: 'files.update' as const, params, source}
    return uploadFile(place.process(), update)
  }

  test.each([
    ['small', 10],
    ['large', LARGE],
  ])('keeps the type of the file (%s)', async (_, size) => {
    const content = bytes(size)
    expect(await typeAfter('text/x-diary', content)).toMatchObject({
      mimeType: 'text/x-diary',
      md5Checksum: md5(content),
    })
  })

  test('does not get the type of a document, which has no content', async () => {
    const type = 'application/vnd.google-apps.document'
    const message = expect.stringContaining('Content of type application/octet-stream')
    await expect(typeAfter(type, Buffer.from('\0'))).rejects.toMatchObject({message})
  })
})

test.each([
  ['words', 'text/plain'],
  ['%PDF-1.7', 'application/pdf'],
  ['\0', 'application/octet-stream'],
  [`%PDF-1.7${'x'.repeat(LARGE)}`, 'application/pdf'],
])('a new file of unknown type gets the type of its content (%#)', async (content, mimeType) => {
  place = await startPlace()
  expect(await uploadFile(place.process(), insert(place.file('noname', content)))).toMatchObject({
    mimeType,
  })
})

describe('large content', () => {
  test('is uploaded in chunks of a session', async () => {
    place = await startPlace()
    const content = bytes(LARGE)
    const seen: number[] = []
    const upload = {
      ...insert(place.file('a', content)),
      onProgress: (done: number, total?: number) => {
        expect(total).toBe(LARGE)
        seen.push(done)
      },
    }
    await uploadFile(place.process(), upload)
    expect(place.requests.slice(1)).toEqual([
      'POST /upload/drive/v2/files resumable',
      ...[
        `0-${CHUNK - 1}`,
        `${CHUNK}-${2 * CHUNK - 1}`,
        `${2 * CHUNK}-${3 * CHUNK - 1}`,
        `${3 * CHUNK}-${LARGE - 1}`,
      ].map(range => `PUT /upload/drive/v2/files session bytes ${range}/${LARGE}`),
    ])
    expect(seen).toEqual([...seen].sort((a, b) => a - b))
    expect(seen.at(-1)).toBe(LARGE)
    await expectOnce(content)
  })

  const faults: Array<[string, Record<string, unknown>]> = [
    ['resets in the middle of chunks', {fault: 'reset', after: 2 * MIB, every: 3}],
    ['5xx', {fault: 'status', status: 500, every: 3}],
    ['answers that are lost', {fault: 'lose', every: 2}],
    ['the last answer cut short', {fault: 'truncate', calls: [4]}],
    ['too many requests', {fault: 'status', status: 429, retryAfter: 1, every: 3}],
  ]
  test.each(faults)('arrives once despite %s', async (_, fault) => {
    place = await startPlace([{operations: 'files.insert', via: 'chunk', ...fault}])
    const content = bytes(LARGE)
    await uploadFile(place.process(), insert(place.file('a', content)))
    await expectOnce(content)
    expect(place.requests).toContain(`PUT /upload/drive/v2/files session bytes */${LARGE}`)
  })

  test.each(faults)('a stream arrives once despite %s', async (_, fault) => {
    place = await startPlace([{operations: 'files.insert', via: 'chunk', ...fault}])
    const content = bytes(2 * LARGE)
    const pieces = (function* () {
      for (let at = 0; at < content.length; at += 65_537) yield content.subarray(at, at + 65_537)
    })()
    const source = {stream: Readable.from(pieces)}
    await uploadFile(place.process(), {...insert(''), source})
    await expectOnce(content)
  })

  test.each([8 * MIB, 16 * MIB])('a stream may end at a chunk boundary (%i bytes)', async size => {
    place = await startPlace()
    const content = bytes(size)
    const source = {stream: Readable.from([content])}
    await uploadFile(place.process(), {...insert(''), source})
    await expectOnce(content)
  })

  test('an expired session is started again, and creates one file', async () => {
    place = await startPlace()
    const content = bytes(LARGE)
    const path = place.file('a', content)
    await interruptedUpload(path, CHUNK)
    // Sessions live for a week; the journal entry is younger by the machine's clock.
    place.service.store.write(() => place.service.store.run('DELETE FROM uploads', {}))
    await uploadFile(place.process(), insert(path))
    expect(place.requests.filter(line => line.endsWith('resumable'))).toHaveLength(1)
    await expectOnce(content)
  })

  test('a session that was completed and forgotten creates no second file', async () => {
    place = await startPlace([
      {operations: 'files.insert', via: 'chunk', fault: 'lose', calls: [4]},
      {operations: 'files.insert', via: 'chunk', fault: 'status', status: 404, calls: [5]},
    ])
    const content = bytes(LARGE)
    await uploadFile(place.process(), insert(place.file('a', content)))
    await expectOnce(content)
  })
})

/** Uploads until this many bytes are sent, then ends like Ctrl-C. */
async function interruptedUpload(path: string, after: number) {
  const controller = new AbortController()
  const upload = {
    ...insert(path),
    onProgress: (done: number) => {
      if (done > after) controller.abort(new Error('Interrupted.'))
    },
  }
  await expect(uploadFile(place.process({signal: controller.signal}), upload)).rejects.toThrow(
    'Interrupted.',
  )
  place.requests.length = 0
}

describe('an interrupted upload', () => {
  test('continues at the progress of the service', async () => {
    place = await startPlace()
    const content = bytes(LARGE)
    const path = place.file('a', content)
    await interruptedUpload(path, CHUNK + MIB)
    expect(place.left()).toHaveLength(1)
    await uploadFile(place.process(), insert(path))
    expect(place.requests[0]).toBe(`PUT /upload/drive/v2/files session bytes */${LARGE}`)
    const [, start] = / bytes (\d+)-/.exec(place.requests[1]!)!
    expect(Number(start)).toBeGreaterThanOrEqual(CHUNK)
    await expectOnce(content)
  })

  test('starts again if the file has changed', async () => {
    place = await startPlace()
    const path = place.file('a', bytes(LARGE))
    await interruptedUpload(path, CHUNK)
    const other = bytes(LARGE, 7)
    writeFileSync(path, other)
    utimesSync(path, 1, 1)
    await uploadFile(place.process(), insert(path))
    expect(place.requests[0]).toBe('DELETE /upload/drive/v2/files session')
    await expectOnce(other)
  })

  test('is a different one under another title', async () => {
    place = await startPlace()
    const content = bytes(LARGE)
    const path = place.file('a', content)
    await interruptedUpload(path, CHUNK)
    await uploadFile(place.process(), insert(path, 'other'))
    expect(await place.listed('other')).toHaveLength(1)
    await uploadFile(place.process(), insert(path))
    await expectOnce(content)
  })

  test.each([
    ['small', 5000],
    ['large', LARGE],
  ])('is not repeated if it was complete but not reported: %s', async (_, size) => {
    place = await startPlace()
    const content = bytes(size)
    const path = place.file('a', content)
    const first = await uploadFile({...place.process(), afterwards: () => {}}, insert(path))
    const later: Array<() => Promise<void>> = []
    const afterwards = (work: () => Promise<void>) => void later.push(work)
    const again = await uploadFile({...place.process(), afterwards}, insert(path))
    expect(again.id).toBe(first.id)
    for (const work of later) await work()
    await expectOnce(content)
    await uploadFile(place.process(), insert(path))
    expect(await place.listed('it')).toHaveLength(2)
  })

  test('is left alone while its process runs', async () => {
    place = await startPlace()
    const content = bytes(LARGE)
    const path = place.file('a', content)
    const world = place.process()
    const held = await world.journal!.claim({
      kind: 'upload',
      profile: 'p',
      baseUrl: place.service.url,
      ...insert(path),
      source: {path, size: LARGE, modified: '0', inode: '0'},
      done: 0,
    })
    expect(held).toBeDefined()
    await uploadFile(place.process(), insert(path))
    place.killed()
    await uploadFile(place.process(), insert(path))
    expect(await place.listed('it')).toHaveLength(2)
  })

  test('small content that arrived without a response is not sent twice', async () => {
    place = await startPlace([{operations: 'files.insert', fault: 'lose', first: 1}])
    const content = bytes(5000)
    const path = place.file('a', content)
    const controller = new AbortController()
    const {signal} = controller
    // The process ends before it can retry.
    const sleep = () =>
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error))
      })
    const world = place.process({signal, sleep})
    const lost = {...world, client: {...world.client}}
    const call = world.client.call
    lost.client.call = async (id, input) => {
      const work = call(id, input)
      if (id === 'files.insert') {
        await until(async () => (await place.listed('it')).length > 0)
        controller.abort(new Error('Killed.'))
      }
      return work
    }
    await expect(uploadFile(lost, insert(path))).rejects.toThrow('Killed.')
    const record = await uploadFile(place.process(), insert(path))
    expect(record.md5Checksum).toBe(md5(content))
    await expectOnce(content)
  })
})

async function until(holds: () => Promise<boolean>) {
  while (!(await holds()));
}

describe('an inconsistent source', () => {
  test.each([100, LARGE])(
    'that changes while it is read creates no file (%i bytes)',
    async size => {
      place = await startPlace()
      const path = place.file('a', bytes(size))
      const world = place.process()
      let isChanged = false
      const call = world.client.call
      const changing = {...world, client: {...world.client}}
      changing.client.call = async (id, input) => {
        if (!isChanged && id === 'files.generateIds' && size > MIB) {
          appendFileSync(path, 'more')
          isChanged = true
        }
        return call(id, input)
      }
      if (size <= MIB) {
        await uploadFile(changing, insert(path))
        return expectOnce(bytes(size))
      }
      await expect(uploadFile(changing, insert(path))).rejects.toRead()
      expect(await place.listed('it')).toEqual([])
      expect(place.left()).toEqual([])
    },
  )

  test('that does not exist has its own error', async () => {
    place = await startPlace()
    const upload = uploadFile(place.process(), insert('/no/such/file'))
    await expect(upload).rejects.toMatchObject({code: 'ENOENT', path: '/no/such/file'})
  })

  test('content that arrives changed is an error', async () => {
    place = await startPlace([], {
      handlers: {
        'files.insert': call => ({
          ...(handlers['files.insert'](call) as object),
          md5Checksum: 'f'.repeat(32),
        }),
      },
    })
    const upload = uploadFile(place.process(), insert(place.file('a', 'x')))
    await expect(upload).rejects.toMatchObject({kind: 'content'})
  })
})

test('a refusal is an error of the service', async () => {
  place = await startPlace()
  const upload = uploadFile(place.process(), {
    ...insert(place.file('a', 'x')),
    body: {title: 'it', parents: [{id: 'nowhere'}]} as never,
  })
  await expect(upload).rejects.toThrow(ServiceError)
  expect(place.left()).toEqual([])
})

describe('an ID that another process has used meanwhile', () => {
  const sendTwice = async (size: number, second: Buffer) => {
    place = await startPlace()
    const world = place.process()
    const [id] = await reserveIds(world.client, 1)
    const first = bytes(size)
    const send = (content: Buffer) =>
      uploadFile(world, {...insert(place.file('a', content)), id: id!, remembersLargeOnly: true})
    await send(first)
    return {first, again: send(second)}
  }

  test.each([5000, LARGE])('is success if the content is equal: %i bytes', async size => {
    const {first, again} = await sendTwice(size, bytes(size))
    expect(await again).toMatchObject({md5Checksum: md5(first)})
    await expectOnce(first)
  })

  test.each([5000, LARGE])('is a conflict if it is not: %i bytes', async size => {
    const {first, again} = await sendTwice(size, bytes(size, 2))
    await expect(again).rejects.toMatchObject({status: 409})
    await expectOnce(first)
  })
})

describe('an upload whose service reports completion at once', () => {
  const content = bytes(LARGE)

  /** Sends new content to a file; the service confirms each part with `record`. */
  async function update(source: ContentSource, record: Record<string, unknown>) {
    place = await startPlace()
    const {body} = await place.service.json('POST', 'files', {body: {title: 'f'}})
    const {client, ...world} = place.process()
    const send = async () => ({isDone: true, record: {...record, id: body.id}}) as const
    const hasty = {...client, uploads: {...client.uploads, send}}
    const params = {fileId: body.id as string}
    return uploadFile({...world, client: hasty}, {operation: 'files.update', params, source})
  }
  const file = () => {
    const path = join(mkdtempSync(join(tmpdir(), 'drv-')), 'a')
    writeFileSync(path, content)
    onTestFinished(() => rmSync(dirname(path), {recursive: true}))
    return {path}
  }

  test.each([
    ['another MD5', {md5Checksum: md5('the first part')}],
    ['another size', {fileSize: '7'}],
  ])('fails with %s', async (_, record) => {
    await expect(update(file(), record)).rejects.toMatchObject({kind: 'content'})
    expect(await failureText(() => update(file(), record))).toRead()
  })

  test('fails if nothing shows how much of a stream arrived', async () => {
    const stream = Readable.from([content, content])
    const updating = update({stream}, {md5Checksum: md5(content)})
    await expect(updating).rejects.toMatchObject({kind: 'content'})
    expect(await failureText(() => updating)).toRead()
  })

  test('succeeds if everything arrived', async () => {
    expect(await update(file(), {md5Checksum: md5(content)})).toMatchObject({
      md5Checksum: md5(content),
    })
  })
})

test('the same ID for several new files is rejected', async () => {
  const twice = {call: async () => ({ids: ['same', 'other', 'same']})}
  await expect(reserveIds(twice, 3)).rejects.toRead()
  const again = {call: async () => ({ids: ['same']})}
  await expect(reserveIds(again, 3)).rejects.toRead()
  const used = new Set(['earlier'])
  const given = {call: async () => ({ids: ['new']})}
  expect(await reserveIds(given, 1, undefined, used)).toEqual(['new'])
  await expect(reserveIds(given, 1, undefined, used)).rejects.toRead()
})

test('an empty text is not an ID', async () => {
  await expect(reserveIds({call: async () => ({ids: ['']})}, 1)).rejects.toRead()
})
