import {createHash} from 'node:crypto'
import {existsSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {descriptionAt} from '#lib/api/description/index.js'
import {FOREIGN} from '../../lib/cli/document/foreign.js'
import {freshEnvironment} from '../../support/drv.js'
import {runHere} from '../../support/here.js'
import {type Received, startRecorder} from '../../support/recorder.js'
import {startWorld, type World} from '../../support/world.js'

let world: World
beforeAll(async () => {
  world = await startWorld({}, runHere)
})
afterAll(() => world.close())

describe('the methods of the profile’s service', () => {
  test('are called like the built-in commands', async () => {
    const source = world.file('source.txt', 'content of a call')
    const made = await world.drv(
      'api call drive.files.insert',
      ...['--title', 'Called', '--mimeType', 'text/plain', '--upload', source],
    )
    expect(await world.drv('files get', made.id)).toMatchObject({title: 'Called', fileSize: '17'})
    const target = join(world.folder, 'called.txt')
    await world.drv('api call files.get', '--fileId', made.id, '--output', target)
    expect(readFileSync(target, 'utf8')).toBe('content of a call')
    const bytes = await world.run('api call files.get', ['/Called', '-o', '-'])
    expect(bytes.stdout).toBe('content of a call')
    const list = await world.run('api call drive.files.list', [
      ...['--q', "title = 'Called'", '--all', '--format', 'ids'],
    ])
    expect(list.stdout).toBe(`${made.id}\n`)
    const patched = await world.run('api call drive.files.patch', [
      ...['--param', `fileId=${made.id}`, '--body', '{"title": "Renamed"}', '--fields', 'title'],
    ])
    expect(patched.stdout).toBe('Renamed\n')
    expect(await world.drv('files get', made.id)).toMatchObject({title: 'Renamed'})
  })

  test('accept several items, and ask for confirmation before deleting', async () => {
    const ids = await Promise.all(['m1', 'm2', 'm3'].map(name => world.make(name, 'root', name)))
    const input = ids.slice(0, 2).join('\n')
    const trashed = await world.run('api call drive.files.trash', ['-', '--json'], {input})
    expect(trashed.json<any[]>().map(({result}) => result.labels.trashed)).toEqual([true, true])
    const refused = await world.run('api call drive.files.delete', ['--file-id', ids[2]!])
    expect(refused.code).toBe(2)
    expect(refused.stderr).toRead()
    const deleted = await world.run('api call drive.files.delete', [ids[2]!, '--yes'])
    expect(deleted.code).toBe(0)
    expect((await world.run('files get', [ids[2]!])).code).toBe(5)
    const readOnly = await world.run('api call drive.files.untrash', [ids[0]!, '--read-only'])
    expect(readOnly.code).toBe(13)
  })

  test.each([
    ['a method that there is not', ['drive.files.lst'], 'Did you mean "drive.files.list"?', 2],
    [
      'a parameter that there is not',
      ['files.list', '--param', 'maxResult=1'],
      'Did you mean "maxResults"?',
      2,
    ],
    ['a path that lacks a part', ['files.get'], 'Missing FILE: file or folder', 2],
    ['a parameter that is needed', ['files.export', 'ID'], 'Missing --mime-type', 2],
    ['a parameter twice', ['files.get', '--fileId=A', '--param', 'fileId=B'], 'is set twice', 2],
    ['a wrong value', ['files.list', '--max-results', 'ten'], 'must be an integer', 2],
    ['what is not there', ['files.get', '--fileId', 'nothing'], 'nothing', 5],
    ['no method', [], 'Missing METHOD', 2],
    ['no NAME=VALUE', ['files.list', '--param', 'q'], 'expected NAME=VALUE', 2],
    ['a token', ['files.list', '--param', 'access_token=x'], 'never sent in a URL', 2],
  ])('%s gets a clear error', async (_, args, words, code) => {
    const result = await world.run('api call', args)
    expect(result.stderr).toContain(words)
    expect(result.code).toBe(code)
    expect(result.stdout).toBe('')
  })

  test('have a help that lists their parameters', async () => {
    const {stdout, code} = await world.run('api call drive.permissions.insert', ['--help-all'])
    expect(code).toBe(0)
    expect(stdout).toContain('  drv api call drive.permissions.insert [FILE...] [FLAGS]')
    for (const words of [
      '--file-id TEXT',
      '--role TEXT',
      '--param NAME=VALUE...',
      'Call the method',
    ]) {
      expect(stdout).toContain(words)
    }
  })
})

/** A service newer than drv. */
const newer = () => {
  const built = descriptionAt('http://127.0.0.1/')
  const {files} = built.resources
  const archive = {
    id: 'drive.files.archive',
    path: 'files/{fileId}/archive',
    httpMethod: 'POST',
    parameters: {
      fileId: {type: 'string', location: 'path', required: true},
      depth: {type: 'string', location: 'query', enum: ['SHALLOW', 'DEEP']},
    },
    response: {$ref: 'File'},
  }
  const methods = {...files!.methods, archive}
  return {...built, resources: {...built.resources, files: {...files, methods}}}
}

async function newerService() {
  return startRecorder(({url}) => {
    if (url.includes('discovery')) return {body: newer(), headers: {etag: '"new"'}}
    return {body: {id: 'A', title: 'archived'}}
  })
}

const isCall = ({url}: Received) => !url.includes('discovery')

test('a method and values that only a newer service knows work', async () => {
  const {url, received} = await newerService()
  const env = {
    ...freshEnvironment(join(world.folder, 'newer')),
    DRV_BASE_URL: url,
    DRV_TOKEN: 'tok',
  }
  const archive = ['api', 'call', 'drive.files.archive', 'A', '--depth', 'DEEP']
  // Only the service knows what it does.
  expect((await runHere(archive, {env})).code).toBe(2)
  const call = await runHere([...archive, '--yes'], {env})
  expect(call.code, call.stderr).toBe(0)
  await runHere(['api', 'call', 'drive.files.list', '--order-by', 'weight'], {env})
  const calls = received.filter(isCall)
  expect(calls.map(({method, url}) => `${method} ${url}`)).toEqual([
    'POST /drive/v2/files/A/archive?depth=DEEP',
    expect.stringMatching(/^GET \/drive\/v2\/files\?.*orderBy=weight/),
  ])
  expect(calls.map(({headers}) => headers.authorization)).toEqual(['Bearer tok', 'Bearer tok'])
  // The document itself is fetched without a token.
  expect(received.filter(one => !isCall(one)).map(({headers}) => headers.authorization)).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  const builtIn = await runHere(['files', 'list', '--order-by', 'weight'], {env})
  expect(builtIn.code).toBe(2)
})

describe('another API', () => {
  const shelf = (rootUrl: string) => ({
    kind: 'discovery#restDescription',
    name: 'shelf',
    version: 'v1',
    rootUrl,
    servicePath: 'shelf/v1/',
    batchPath: 'shelf/batch',
    parameters: {fields: {type: 'string', location: 'query'}},
    schemas: {
      Book: {
        type: 'object',
        properties: {
          id: {type: 'string'},
          title: {type: 'string', annotations: {required: ['shelf.books.insert']}},
        },
      },
      Books: {
        type: 'object',
        properties: {
          books: {type: 'array', items: {$ref: 'Book'}},
          nextPageToken: {type: 'string'},
        },
      },
    },
    methods: {ping: {id: 'shelf.ping', path: 'ping', httpMethod: 'GET'}},
    resources: {
      books: {
        methods: {
          list: {
            id: 'shelf.books.list',
            path: 'books',
            httpMethod: 'GET',
            parameters: {
              pageToken: {type: 'string', location: 'query'},
              pageSize: {type: 'integer', location: 'query', maximum: '50'},
              format: {type: 'string', location: 'query', enum: ['thick', 'thin']},
              tag: {type: 'string', location: 'query', repeated: true},
            },
            response: {$ref: 'Books'},
          },
          insert: {
            id: 'shelf.books.insert',
            path: '{+parent}/books',
            httpMethod: 'POST',
            parameters: {parent: {type: 'string', location: 'path', required: true}},
            request: {$ref: 'Book'},
            response: {$ref: 'Book'},
            supportsMediaUpload: true,
            mediaUpload: {
              accept: ['*/*'],
              protocols: {simple: {multipart: true, path: '/up/v1/{+parent}/books'}},
            },
          },
          get: {
            id: 'shelf.books.get',
            path: 'books/{fileId}',
            httpMethod: 'GET',
            response: {$ref: 'Book'},
          },
        },
        resources: {
          pages: {
            methods: {turn: {id: 'shelf.books.pages.turn', path: 'p/{page}', httpMethod: 'PUT'}},
          },
        },
      },
    },
  })

  async function started() {
    const service = await startRecorder(({url}) => {
      if (url.startsWith('/shelf/v1/books?')) {
        const second = url.includes('pageToken=2')
        const records = second ? [{id: 'c'}] : [{id: 'a'}, {id: 'b'}]
        return {body: {books: records, ...(second ? {} : {nextPageToken: '2'})}}
      }
      return {body: {id: 'x', title: 'y'}}
    })
    const file = world.file(`shelf-${new URL(service.url).port}.json`, '')
    writeFileSync(file, JSON.stringify(shelf(`${service.url}/`)))
    const home = join(world.folder, `shelf-${new URL(service.url).port}`)
    const run = (args: readonly string[], more: Record<string, string> = {}) =>
      runHere(['api', 'call', ...args, '--description', file], {
        env: {...freshEnvironment(home), DRV_BASE_URL: world.url, DRV_TOKEN: 'secret', ...more},
      })
    return {...service, run, file}
  }

  test('is called without a token, with a notice', async () => {
    const {run, received} = await started()
    const {stdout, stderr, code} = await run(['shelf.books.get', '--fileId', '/a b', '--json'])
    expect(code, stderr).toBe(0)
    expect(JSON.parse(stdout)).toEqual({id: 'x', title: 'y'})
    expect(stderr).toRead()
    expect(received.map(({method, url}) => `${method} ${url}`)).toEqual([
      'GET /shelf/v1/books/%2Fa%20b',
    ])
    expect(received[0]!.headers.authorization).toBeUndefined()
  })

  test('gets the token of a profile for it', async () => {
    const {run, received, url} = await started()
    const {stderr} = await run(['shelf.ping'], {DRV_BASE_URL: url, DRV_TOKEN: 'mine'})
    expect(stderr).toBe('')
    expect(received.map(({url}) => url)).toEqual(['/shelf/v1/ping'])
    expect(received[0]!.headers.authorization).toBe('Bearer mine')
  })

  test('has lists of any name, with pages', async () => {
    const {run, received} = await started()
    const all = await run(['books.list', '--all', '--format', 'ids', '--tag', 'x', '--tag', 'y'])
    expect(all.stdout).toBe('a\nb\nc\n')
    expect(received[0]!.url).toBe(
      '/shelf/v1/books?pageSize=50&tag=x&tag=y&fields=nextPageToken%2Cbooks%28id%29',
    )
    const json = await run(['books.list', '--limit', '1', '--json', '--param', 'format=thin'])
    expect(JSON.parse(json.stdout)).toEqual({books: [{id: 'a'}]})
    expect(received.at(-1)!.url).toBe('/shelf/v1/books?pageSize=1&format=thin')
    const wrong = await run(['books.list', '--param', 'format=fat'])
    expect(wrong.stderr).toRead()
  })

  test('has paths, bodies, content and batches as described', async () => {
    const {run, received} = await started()
    const insert = ['shelf.books.insert', '--parent', 'shelves/7', '--yes']
    expect((await run(insert)).stderr).toRead()
    await run([...insert, '--title', 'T'])
    const source = world.file('book.txt', 'a book')
    await run([...insert, '--title', 'T', '--upload', source])
    await run(['books.pages.turn', '12', '--yes'])
    expect(received.map(({method, url}) => `${method} ${url}`)).toEqual([
      'POST /shelf/v1/shelves/7/books',
      'POST /up/v1/shelves/7/books?uploadType=multipart',
      'PUT /shelf/v1/p/12',
    ])
    expect(JSON.parse(received[0]!.body)).toEqual({title: 'T'})
    expect(received[1]!.body).toContain('a book')
    await run(['books.get', 'one', 'two'])
    expect(received.some(({url}) => url === '/shelf/batch')).toBe(true)
  })
})

/** A service, and its description with one method, `t.do`. */
async function described(method: object, more: object = {}) {
  const service = await startRecorder(() => ({body: {id: 'x'}}))
  const document = {
    kind: 'discovery#restDescription',
    name: 't',
    version: 'v1',
    rootUrl: `${service.url}/tenant/a/`,
    servicePath: 'v1/',
    methods: {do: {id: 't.do', path: 'things/{thingId}', httpMethod: 'GET', ...method}},
    ...more,
  }
  const place = `tenant-${new URL(service.url).port}`
  const file = world.file(`${place}.json`, JSON.stringify(document))
  const env = {
    ...freshEnvironment(join(world.folder, place)),
    DRV_BASE_URL: `${service.url}/tenant/a`,
    DRV_TOKEN: 'secret',
  }
  const run = (args: readonly string[], command = 'call') => {
    const words = command === 'validate' ? ['api', command, file] : ['api', command, ...args]
    return runHere(command === 'validate' ? words : [...words, '--description', file], {env})
  }
  return {...service, run, env, file}
}

const sent = (received: readonly Received[]) => received.map(({method, url}) => `${method} ${url}`)

describe('methods that change something, according to the description', () => {
  const scopes = ['https://www.googleapis.com/auth/drive.readonly']

  test.each(['DELETE', 'POST', 'PUT', 'PATCH'])('%s requires confirmation', async httpMethod => {
    const {run, received} = await described({httpMethod, scopes})
    const refused = await run(['t.do', 'ID1'])
    expect(refused.code).toBe(2)
    expect(refused.stderr).toRead()
    const many = await run(['t.do', 'ID1', 'ID2'])
    expect(many.code).toBe(2)
    const readOnly = await run(['t.do', 'ID1', '--yes', '--read-only'])
    expect(readOnly.code).toBe(13)
    expect(received).toEqual([])
    const planned = await run(['t.do', 'ID1', '--dry-run'])
    expect(planned.stdout).toContain(`${httpMethod} http`)
    const done = await run(['t.do', 'ID1', '--yes'])
    expect(done.code, done.stderr).toBe(0)
    expect(sent(received)).toEqual([`${httpMethod} /tenant/a/v1/things/ID1`])
    expect((await run(['t.do', '--help'])).stdout).toContain('--yes')
  })

  test.each(['GET', 'HEAD', 'OPTIONS'])('%s requires none', async httpMethod => {
    const response = {$ref: 'Thing'}
    const schemas = {Thing: {type: 'object', properties: {id: {type: 'string'}}}}
    const {run, received} = await described({httpMethod, response}, {schemas})
    const done = await run(['t.do', 'ID1', '--read-only', '--json'])
    expect(done.stderr).toBe('')
    expect(done.code).toBe(0)
    expect(done.json()).toEqual(httpMethod === 'HEAD' ? {} : {id: 'x'})
    expect(sent(received)).toEqual([`${httpMethod} /tenant/a/v1/things/ID1`])
  })

  test('a method of this API that only reads cannot become one that writes', async () => {
    const {url, received} = await startRecorder(({url}) => {
      if (!url.includes('discovery')) return {body: {}}
      const built = descriptionAt('http://127.0.0.1/')
      const {files} = built.resources
      const get = {...files!.methods.get!, httpMethod: 'DELETE'}
      const methods = {...files!.methods, get}
      return {body: {...built, resources: {...built.resources, files: {...files, methods}}}}
    })
    const home = join(world.folder, 'turned')
    const env = {...freshEnvironment(home), DRV_BASE_URL: url, DRV_TOKEN: 'secret'}
    for (const method of ['files.get', 'files.delete']) {
      const call = await runHere(['api', 'call', method, 'ID1', '--yes', '--dry-run'], {env})
      expect(call.code).toBe(method === 'files.get' ? 2 : 0)
    }
    const got = await runHere(['api', 'call', 'files.get', 'ID1', '--yes'], {env})
    expect(got.stderr).toRead()
    // That method resolves the path.
    const byPath = await runHere(['api', 'call', 'files.trash', '/a.txt'], {env})
    expect(byPath.code).not.toBe(0)
    expect(sent(received.filter(isCall)).filter(line => !line.startsWith('GET'))).toEqual([])
  })
})

describe('names of properties that every JavaScript object has', () => {
  const NAMES = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf']
  const text = {type: 'string'}
  const all = <T>(value: T) => Object.fromEntries(NAMES.map(name => [name, value]))
  const schemas = all({type: 'object', properties: all(text)})

  test.each(NAMES)('%s as a path parameter', async name => {
    const response = {$ref: name}
    const {run, received} = await described({path: `things/{${name}}`, response}, {schemas})
    const lines = [['V'], [`--${name}`, 'V'], [`--${name}=V`], ['--param', `${name}=V`]]
    for (const line of lines) {
      const {code, stderr} = await run(['t.do', ...line, '--json'])
      expect(code, stderr).toBe(0)
    }
    expect(sent(received)).toEqual(lines.map(() => 'GET /tenant/a/v1/things/V'))
    const missing = await run(['t.do'])
    expect(missing.code).toBe(2)
    expect(missing.stderr).toRead()
  })

  test.each(NAMES)('%s as a query parameter, and as a field', async name => {
    const parameters = all({...text, location: 'query'})
    const method = {path: 'things', parameters, request: {$ref: name}, httpMethod: 'POST'}
    const {run, received} = await described(method, {schemas})
    const lines = [
      ['--param', `${name}=V`],
      ['--body', `{"${name}": "V"}`],
      ...(name.startsWith('_') ? [] : [[`--${name}`, 'V']]),
    ]
    for (const line of lines) {
      const {code, stderr} = await run(['t.do', ...line, '--yes'])
      expect(code, stderr).toBe(0)
    }
    const query = `POST /tenant/a/v1/things?${name}=V`
    const [first, second, third = query] = sent(received)
    expect([first, second, third]).toEqual([query, 'POST /tenant/a/v1/things', query])
    expect(received[1]!.body).toBe(`{"${name}":"V"}`)
  })

  test.each(NAMES)('%s as a method, a group and a record', async name => {
    const method = {id: `t.${name}.${name}`, path: name, httpMethod: 'GET', response: {$ref: name}}
    const resources = {[name]: {methods: {[name]: method}}}
    const {run, received} = await described({}, {schemas, resources})
    expect((await run([`${name}.${name}`])).code).toBe(0)
    expect(sent(received)).toEqual([`GET /tenant/a/v1/${name}`])
    for (const words of [[name], [`${name}.${name}`], [`${name}.toString`]]) {
      const {code, stderr} = await run(words, 'describe')
      expect(code, stderr).toBe(0)
    }
    expect((await run([`${name}.${name}`], 'types')).code).toBe(0)
  })

  test('an unknown flag with such a name is reported', async () => {
    for (const name of NAMES) {
      const {code, stderr} = await world.run('ls', [`--${name}`])
      expect(code).toBe(2)
      expect(stderr).toRead()
    }
  })
})

describe('an invalid description', () => {
  test.each(['get', 'TRACE', 'CONNECT', '', ' ', 'GET / HTTP/1.1\r\nX: y'].filter(Boolean))(
    'has the HTTP method %j',
    async httpMethod => {
      const {run, received} = await described({httpMethod})
      for (const way of [['--yes'], ['--dry-run']]) {
        const {code, stderr} = await run(['t.do', 'ID1', ...way])
        expect(code).toBe(2)
        expect(stderr).toRead()
      }
      expect((await run([], 'types')).code).toBe(2)
      expect((await run([], 'validate')).stdout).toContain('httpMethod')
      expect(received).toEqual([])
    },
  )

  const paths: ReadonlyArray<readonly [string, object, object]> = [
    ['path', {path: '../../../other/{thingId}'}, {}],
    ['path', {path: '%2e%2e/%2E./../other/{thingId}'}, {}],
    ['path', {path: '..%2f..%2F../other/{thingId}'}, {}],
    ['path', {path: '..\\..\\..\\other/{thingId}'}, {}],
    ['path', {path: '%252e%252e/%252e%252e/%252e%252e/{thingId}'}, {}],
    ['path', {path: 'x%2fy/../../../../{thingId}'}, {}],
    ['servicePath', {}, {servicePath: '../../else/'}],
    ['servicePath', {}, {servicePath: '../b/'}],
  ]
  test.each(paths)('leaves the base URL in %s: %j %j', async (place, method, more) => {
    const {run, received} = await described(method, more)
    for (const way of [[], ['--dry-run'], ['ID2', '--yes'], ['--output', '-']]) {
      const {code, stderr} = await run(['t.do', 'ID1', ...way])
      expect(code).toBe(2)
      expect(stderr).toRead()
    }
    const {stdout, code} = await run([], 'validate')
    expect(code).toBe(1)
    expect(stdout).toMatch(new RegExp(`${place}\\tpath-below-root`))
    expect(received).toEqual([])
  })

  test('with a path that leaves and returns is harmless', async () => {
    const {run, received} = await described({path: '../../a/v1/{thingId}'})
    expect((await run(['t.do', 'ID1'])).code).toBe(0)
    expect(sent(received)).toEqual(['GET /tenant/a/v1/ID1'])
  })

  test('leaves the base URL in the upload path and the batch path', async () => {
    const schemas = {Thing: {type: 'object', properties: {id: {type: 'string'}}}}
    const upload = {
      httpMethod: 'POST',
      request: {$ref: 'Thing'},
      supportsMediaUpload: true,
      mediaUpload: {protocols: {simple: {path: '/../../up/{thingId}', multipart: true}}},
    }
    const uploading = await described(upload, {schemas})
    const source = world.file('climbing.txt', 'content')
    const {code, stderr} = await uploading.run(['t.do', 'ID1', '--yes', '--upload', source])
    expect(code).toBe(2)
    expect(stderr).toRead()
    expect(uploading.received).toEqual([])
    const batching = await described(
      {response: {$ref: 'Thing'}},
      {schemas, batchPath: '../../batch'},
    )
    await batching.run(['t.do', 'ID1', 'ID2', 'ID3'])
    expect(batching.received.every(({url}) => url.startsWith('/tenant/a/'))).toBe(true)
    const {stdout} = await batching.run([], 'validate')
    expect(stdout).toMatch(/batchPath\tpath-below-root/)
  })
})

describe('large content', () => {
  /** The service's own description under another name, so that its methods are unknown. */
  function renamed(protocols?: object): string {
    const built = descriptionAt(world.url)
    const {files} = built.resources
    const insert = {...files!.methods.insert!}
    const mediaUpload = {...insert.mediaUpload, ...(protocols && {protocols})}
    const methods = {...files!.methods, insert: {...insert, id: 'other.files.insert', mediaUpload}}
    const resources = {files: {...files, methods}}
    return world.file('other.json', JSON.stringify({...built, name: 'other', resources}))
  }

  const bytes = Buffer.alloc(9 * 1024 * 1024, 'large content ')
  const md5Checksum = createHash('md5').update(bytes).digest('hex')

  test.each(['a file', 'standard input'])('of %s is uploaded in a session', async kind => {
    const file = world.file('large.bin', bytes)
    const upload = kind === 'a file' ? file : '-'
    const args = [
      '--description',
      renamed(),
      '--upload',
      upload,
      '--title',
      kind,
      '--json',
      '--yes',
    ]
    const made = await world.run('api call other.files.insert', args, {input: bytes})
    expect(made.code, made.stderr).toBe(0)
    const {id} = made.json<{id: string}>()
    expect(await world.drv('files get', id)).toMatchObject({title: kind, md5Checksum})
  })

  test('is uploaded in one request where sessions are not supported, and never truncated', async () => {
    const {simple} = descriptionAt(world.url).resources.files!.methods.insert!.mediaUpload!
      .protocols!
    const description = renamed({simple})
    const file = world.file('large.bin', bytes)
    const args = ['--description', description, '--title', 'whole', '--json', '--yes', '--upload']
    const made = await world.run('api call files.insert', [...args, file])
    const {id} = made.json<{id: string}>()
    expect(await world.drv('files get', id)).toMatchObject({title: 'whole', md5Checksum})
    const streamed = await world.run('api call files.insert', [...args, '-'], {input: bytes})
    expect(streamed.code).toBe(1)
    expect(streamed.stderr).toRead()
    const titles = (await world.children('root')).filter(({title}) => title === 'whole')
    expect(titles).toHaveLength(1)
  })
})

test('a hostile description has no effect outside of its service', async () => {
  const file = world.file('hostile.json', JSON.stringify(FOREIGN))
  const names = ['ping', 'books.insert', 'books.pages.turn']
  for (const name of names) {
    const help = await world.run('api call', [name, '--description', file, '--help'])
    expect(help.code, help.stderr).toBe(0)
    const words = name === 'ping' ? [] : ['shelves/1']
    const shown = await world.run('api call', [name, ...words, '--description', file, '-n'])
    expect(shown.code, shown.stderr).not.toBe(1)
    expect(shown.stdout + shown.stderr).not.toMatch(/\u001b|\u009b/)
  }
  expect(existsSync(join(world.folder, 'undefined'))).toBe(false)
})

describe('a description that is too large', () => {
  const head =
    '{"kind": "discovery#restDescription", "rootUrl": "http://127.0.0.1/", "servicePath": ""'
  const long = `${head}, "x": "${'x'.repeat(17 * 1024 * 1024)}"}`
  const many = `${head}, "x": [${'{},'.repeat(1_000_000)}{}]}`
  const deep = `{"a": ${'['.repeat(50_000)}${']'.repeat(50_000)}}`

  test.each([
    ['bytes', long, 'it is larger than 16 MiB'],
    ['values', many, 'it has more than 700,000 values'],
    ['levels', deep, 'more than 200 levels'],
  ])('is rejected with a clear error: %s', async (kind, text, words) => {
    const file = world.file(`${kind}.json`, text)
    const lines: ReadonlyArray<readonly [string, readonly string[], string?]> = [
      ['api validate', [file]],
      ['api validate', ['-'], text],
      ['api describe', ['--description', file]],
      ['api diff', ['built-in', file]],
      ['api types', ['--description', '-'], text],
      ['files insert', ['--body', `@${file}`]],
      ['files insert', ['--body', '-'], text],
    ]
    for (const [command, args, input] of lines) {
      const {stderr, code, stdout} = await world.run(command, args, {input})
      expect(stderr).toContain(words)
      expect(code).toBe(2)
      expect(stdout).toBe('')
    }
  })
})
