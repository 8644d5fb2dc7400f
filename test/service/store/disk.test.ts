import {once} from 'node:events'
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import {type IncomingMessage, request} from 'node:http'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test} from 'vitest'
import {CHUNK_UNIT} from '#lib/api/wire.js'
import {DataError} from '#lib/platform/setup-error.js'
import {checkData, type DataFinding} from '#lib/service/check.js'
import {handlers} from '#lib/service/handlers/index.js'
import {createService} from '#lib/service/index.js'
import {DiskError, translateError} from '#lib/service/store/database/disk.js'
import {openReadOnly} from '#lib/service/store/database/inspect.js'
import {openStore} from '#lib/service/store/index.js'
import {fillDisk, missingMount, mountDisk, readOnlyView, remount} from '../../support/mount.js'
import {startTestService, type TestService} from '../harness.js'

/** Disk errors in a data directory, at start and while the service runs. */

let top: string
let number = 0
beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), 'drv-'))
})
afterAll(() => rmSync(top, {recursive: true}))
const fresh = () => join(top, `data ${number++}`)

const coded = (code: string) => Object.assign(new Error(`${code}: words, write`), {code})

/** The error for a directory, the same when it is opened and when it is served. */
async function refusal(data: string): Promise<DataError> {
  let thrown: unknown
  try {
    openStore(data).close()
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(DataError)
  const {message, hint} = thrown as DataError
  await expect(createService({data})).rejects.toMatchObject({message, hint})
  for (const text of [message, hint]) expect(text).not.toMatch(/\bE[A-Z]{3,}|SQLITE|Unable/)
  expect(message).toMatch(/^\S.*\.$/)
  expect(hint).not.toBe('')
  return thrown as DataError
}

/** An intact database with data, created once. */
let sound: string
beforeAll(async () => {
  sound = join(top, 'sound')
  const service = await startTestService({data: sound})
  for (let n = 0; n < 20; n++) await service.json('POST', 'files', {body: {title: `file ${n}`}})
  // libsql closes a file only when its statements are garbage collected, so flush the log into it now.
  service.store.all('PRAGMA wal_checkpoint(TRUNCATE)')
  await service.close()
})

/** A data directory with that database, changed by `change`. */
function changed(change: (file: string) => void): string {
  const data = fresh()
  mkdirSync(join(data, 'content'), {recursive: true})
  copyFileSync(join(sound, 'drv.db'), join(data, 'drv.db'))
  change(join(data, 'drv.db'))
  return data
}

/** The findings of `drv local check`. */
async function findingsIn(data: string): Promise<DataFinding[]> {
  const findings: DataFinding[] = []
  for await (const finding of checkData(data, {now: Date.now()})) findings.push(finding)
  return findings
}

/** Overwrites a part of a file with garbage. */
function overwrite(file: string, start: number, length: number): void {
  const fd = openSync(file, 'r+')
  writeSync(fd, Buffer.alloc(length, 'Z'), 0, length, start)
  closeSync(fd)
}

describe('an unusable directory is rejected in one sentence', () => {
  test.each<[string, (data: string) => void]>([
    ['is a file', data => writeFileSync(data, '')],
    ['is a broken link', data => symlinkSync('nowhere', data)],
    ['is a link to itself', data => symlinkSync(data, data)],
    [
      'has a directory for its database',
      data => mkdirSync(join(data, 'drv.db'), {recursive: true}),
    ],
    [
      'has a directory for the log of its database',
      data => mkdirSync(join(data, 'drv.db-wal'), {recursive: true}),
    ],
    [
      'has a text for its database',
      data => {
        mkdirSync(data)
        writeFileSync(join(data, 'drv.db'), 'Shopping list\n'.repeat(200))
      },
    ],
    [
      'has a file for its content',
      data => {
        mkdirSync(data)
        writeFileSync(join(data, 'content'), '')
      },
    ],
  ])('one that %s', async (_, make) => {
    const data = fresh()
    make(data)
    const {message} = await refusal(data)
    expect(message).toContain(data)
    expect(message.replaceAll(data, 'DATA')).toRead()
  })

  test('one below a file', async () => {
    const file = fresh()
    writeFileSync(file, '')
    const {message} = await refusal(join(file, 'a', 'b'))
    expect(message.replaceAll(file, 'FILE')).toRead()
  })

  test.skipIf(!existsSync('/proc/version'))('one that /proc does not allow', async () => {
    const {message} = await refusal('/proc/drv/deep')
    expect(message).toRead()
  })

  test.each<[string, (file: string) => void]>([
    ['was cut', file => truncateSync(file, 20_000)],
    ['was cut to almost nothing', file => truncateSync(file, 50)],
    ['has lost its beginning', file => overwrite(file, 100, 4000)],
  ])('one with a database that %s', async (_, change) => {
    const data = changed(change)
    expect(await refusal(data)).toMatchObject({obstacle: 'damaged'})
  })

  test('one with a database damaged anywhere, by a long-running service', async () => {
    const {page} = openReadOnly(sound).get<{page: number}>(
      "SELECT rootpage AS page FROM sqlite_schema WHERE name = 'messages'",
    )!
    const data = changed(file => overwrite(file, (page - 1) * 4096, 4096))
    await expect(createService({data, checksDatabase: true})).rejects.toMatchObject({
      name: 'DiskError',
      obstacle: 'damaged',
    })
    expect(await findingsIn(data)).toMatchObject([{what: 'damaged', path: 'drv.db', files: []}])
    const whole = changed(() => undefined)
    await (await createService({data: whole, checksDatabase: true})).close()
    expect(await findingsIn(whole)).toEqual([])
  })

  describe('on a separate disk', () => {
    beforeEach(({skip}) => skip(missingMount !== undefined, missingMount))

    test('one that is read-only, new or in use', async () => {
      const writable = fresh()
      openStore(join(writable, 'used')).close()
      const disk = readOnlyView(writable, fresh())
      const data = join(disk, 'used')
      for (const directory of [data, disk]) {
        const refused = await refusal(directory)
        expect(refused).toMatchObject({obstacle: 'readOnly'})
        expect(refused.message).toContain(directory)
      }
      expect((await refusal(join(disk, 'new'))).message).toContain(`${disk}/new`)
    })

    test('one of which a part is on a read-only disk', async () => {
      const data = fresh()
      mkdirSync(data)
      const content = mountDisk(join(data, 'content'), 'ro')
      const refused = await refusal(data)
      expect(refused).toMatchObject({obstacle: 'readOnly'})
      expect(refused.message).toContain(content)
    })

    test('one that is new on a full disk', async () => {
      const disk = mountDisk(fresh(), 'size=256k')
      fillDisk(disk)
      const data = join(disk, 'new')
      expect(await refusal(data)).toMatchObject({obstacle: 'full'})
      rmSync(join(disk, 'fill'))
      remount(disk, 'size=4m')
      openStore(data).close()
    })
  })
})

describe('a full disk', () => {
  beforeEach(({skip}) => skip(missingMount !== undefined, missingMount))

  const large = Buffer.alloc(3_000_000, 'large ')
  interface Uploader {
    readonly service: TestService
    readonly token: string
  }
  const uploaderOf = (service: TestService) => ({service, token: service.token()})
  /** Sends content over a separate connection and reads the response, even if it comes early. */
  const put = async (
    {service, token}: Uploader,
    method: string,
    address: string,
    body: Buffer,
    headers: Record<string, string> = {},
  ) => {
    const authorization = `Bearer ${token}`
    const length = {'content-length': body.length}
    const call = request(new URL(address, service.url), {
      agent: false,
      method,
      headers: {authorization, ...length, ...headers},
    })
    call.end(body)
    const [answer] = (await once(call, 'response')) as [IncomingMessage]
    const text = (await answer.toArray()).join('')
    call.destroy()
    return {status: answer.statusCode, body: text === '' ? undefined : JSON.parse(text)}
  }
  const upload = (uploader: Uploader, body: Buffer) =>
    put(uploader, 'POST', '/upload/drive/v2/files?uploadType=media', body)
  const contents = (data: string) =>
    readdirSync(join(data, 'content')).map(name => readFileSync(join(data, 'content', name)).length)

  test('allows reading, also by a service that starts on it', async () => {
    const disk = mountDisk(fresh(), 'size=8m')
    const data = join(disk, 'data')
    const before = await startTestService({data})
    const {token} = uploaderOf(before)
    const {body} = await upload({service: before, token}, large)
    await before.close()
    fillDisk(disk)
    const service = await createService({data, checksDatabase: true})
    onTestFinished(() => service.close())
    const ask = (path: string, method = 'GET') =>
      fetch(`${service.url}/drive/v2/files${path}`, {
        method,
        headers: {authorization: `Bearer ${token}`},
      })
    // The first use of a token is recorded if there is space.
    expect(((await (await ask('')).json()) as any).items).toMatchObject([{id: body.id}])
    const media = await ask(`/${body.id}?alt=media`)
    expect(Buffer.from(await media.arrayBuffer()).equals(large)).toBe(true)
    const refused = await ask(`/${body.id}/trash`, 'POST')
    expect(refused.status).toBe(507)
    expect((await ask(`/${body.id}`)).status).toBe(200)
    rmSync(join(disk, 'fill'))
    expect((await ask(`/${body.id}/trash`, 'POST')).status).toBe(200)
  })

  test('refuses writes, leaves nothing of them, and names the directory', async () => {
    const data = mountDisk(fresh(), 'size=5m')
    const logged: Error[] = []
    const service = await startTestService({data, log: error => logged.push(error as Error)})
    onTestFinished(() => service.close())
    const uploader = uploaderOf(service)
    expect((await upload(uploader, large)).status).toBe(200)
    const message = expect.stringContaining(data) as string
    const answer = {
      status: 507,
      body: {error: {code: 507, message, errors: [{reason: 'storageQuotaExceeded', message}]}},
    }
    expect(await upload(uploader, large)).toMatchObject(answer)
    fillDisk(data)
    // Small content goes to the database only, whose log has some space left in its last page.
    let small
    for (let n = 0; n < 20 && small?.status !== 507; n++) {
      small = await upload(uploader, Buffer.alloc(9000, 'small '))
    }
    expect(small).toMatchObject(answer)
    expect(await service.json('POST', 'files', {body: {title: 'x'}})).toMatchObject(answer)
    const session = await service.json('POST', '/upload/drive/v2/files', {
      query: {uploadType: 'resumable'},
    })
    expect(session).toMatchObject(answer)
    expect(contents(data)).toEqual([large.length])
    expect(logged).not.toEqual([])
    for (const error of logged) expect(error).toMatchObject({name: 'DiskError', message})
    const list = await service.json('GET', 'files', {query: {q: "title = 'x'"}})
    expect(list).toMatchObject({status: 200, body: {items: []}})
    rmSync(join(data, 'fill'))
    expect((await service.json('POST', 'files', {body: {title: 'x'}})).status).toBe(200)
  })

  test('accepts no part of a session without space, and the rest when there is space', async () => {
    const data = mountDisk(fresh(), 'size=5m')
    const service = await startTestService({data})
    onTestFinished(() => service.close())
    const uploader = uploaderOf(service)
    const content = Buffer.alloc(6_000_000, 'chunk ')
    const full = {
      status: 507,
      body: {error: {errors: [{reason: 'storageQuotaExceeded'}]}},
    }
    const begin = (headers = {}) =>
      service.json('POST', '/upload/drive/v2/files', {query: {uploadType: 'resumable'}, headers})
    const length = {'x-upload-content-length': String(content.length)}
    expect(await begin(length)).toMatchObject(full)
    expect(contents(data)).toEqual([])
    // Without an announced length, this is detected later.
    const session = (await begin()).headers.get('location')!
    const send = (start: number, end: number, total: number | '*' = content.length) =>
      put(uploader, 'PUT', session, content.subarray(start, end), {
        'content-range': `bytes ${start}-${end - 1}/${total}`,
      })
    expect((await send(0, CHUNK_UNIT, '*')).status).toBe(308)
    expect(await send(CHUNK_UNIT, content.length, '*')).toMatchObject(full)
    expect(await send(CHUNK_UNIT, 2 * CHUNK_UNIT)).toMatchObject(full)
    expect(contents(data)).toEqual([CHUNK_UNIT])
    const query = {headers: {'content-range': `bytes */${content.length}`}}
    const state = await service.json('PUT', session, query)
    expect(state.headers.get('range')).toBe(`bytes=0-${CHUNK_UNIT - 1}`)
    remount(data, 'size=16m')
    const made = await send(CHUNK_UNIT, content.length)
    expect(made).toMatchObject({status: 200, body: {fileSize: String(content.length)}})
    const media = await service.send('GET', `files/${made.body.id}`, {query: {alt: 'media'}})
    expect(Buffer.from(await media.arrayBuffer()).equals(content)).toBe(true)
  })
})

describe('while the service runs', () => {
  let service: TestService
  let thrown: Error
  const logged: unknown[] = []
  beforeAll(async () => {
    service = await startTestService({
      log: error => logged.push(error),
      handlers: {
        'about.get': () => {
          throw thrown
        },
        'files.insert': call => {
          handlers['files.insert'](call)
          throw thrown
        },
      },
    })
  })
  afterAll(() => service.close())
  beforeEach(() => void logged.splice(0))

  test.each([
    ['ENOSPC', 507, 'storageQuotaExceeded'],
    ['EDQUOT', 507, 'storageQuotaExceeded'],
    ['SQLITE_FULL', 507, 'storageQuotaExceeded'],
    ['EROFS', 507, 'storageNotWritable'],
    ['SQLITE_READONLY', 507, 'storageNotWritable'],
    ['EACCES', 507, 'storageNotWritable'],
    ['SQLITE_CANTOPEN', 507, 'storageNotWritable'],
    ['EIO', 507, 'storageFailed'],
    ['SQLITE_IOERR_WRITE', 507, 'storageFailed'],
    ['SQLITE_CORRUPT', 500, 'databaseDamaged'],
  ])('%s returns %i %s', async (code, status, reason) => {
    thrown = coded(code)
    for (const [method, path, body] of [
      ['GET', 'about'],
      ['POST', 'files', {title: 'x'}],
    ] as const) {
      const answer = await service.json(method, path, {body})
      expect(answer).toMatchObject({status, body: {error: {errors: [{reason}]}}})
      expect(answer.body.error.message).toContain(service.directory)
      expect(answer.body.error.message).not.toContain(code)
      if (method === 'GET') expect(answer.body.error.message).toRead()
    }
    expect(logged).toEqual([expect.any(DiskError), expect.any(DiskError)])
    expect(logged[0]).toMatchObject({cause: thrown})
    expect((await service.json('GET', 'files')).body.items).toEqual([])
  })

  test('other errors are unchanged', () => {
    for (const error of [coded('ENOENT'), coded('ECONNRESET'), new Error('x'), undefined, 'x']) {
      expect(translateError(error, '/data')).toBe(error)
    }
    const told = new DataError('Sentence.', 'Hint.')
    expect(translateError(told, '/data')).toBe(told)
  })

  test('damage is reported when it is found, and intact data is served', async () => {
    const data = changed(file => overwrite(file, 16_384, statSync(file).size - 16_384))
    const damaged = await createService({data}).catch((error: unknown) => error)
    expect(damaged).toMatchObject({obstacle: 'damaged'})
  })
})
