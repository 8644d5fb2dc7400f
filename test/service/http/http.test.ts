import {readdirSync} from 'node:fs'
import {request as httpRequest} from 'node:http'
import {join} from 'node:path'
import {gzipSync} from 'node:zlib'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {commonParameters} from '#lib/api/description/fields.js'
import {description} from '#lib/api/description/index.js'
import {operations, queryParameters} from '#lib/api/operations.js'
import {expandPath} from '#lib/api/url-paths.js'
import {createService} from '#lib/service/index.js'
import {coverageTable} from '../../../build/coverage.js'
import {type RequestOptions, startTestService, type TestService} from '../harness.js'

let service: TestService
const failures: unknown[] = []
beforeAll(async () => {
  service = await startTestService({
    log: error => failures.push(error),
    handlers: {
      'apps.get': () => {
        throw new Error('a secret of the inside')
      },
      'files.touch': () => {
        throw Object.assign(new Error('database is locked'), {code: 'SQLITE_BUSY'})
      },
    },
  })
})
afterAll(() => service.close())

async function newFile(body: object = {title: 'a.txt'}): Promise<{id: string; etag: string}> {
  return (await service.json('POST', 'files', {body})).body
}

async function newContent(content: string, type = 'text/plain', title?: string): Promise<string> {
  const {body} = await service.json('POST', '/upload/drive/v2/files', {
    headers: {'content-type': type},
    body: content,
  })
  if (title !== undefined) await service.json('PATCH', `files/${body.id}`, {body: {title}})
  return body.id
}

/** The first error of an error response. */
const problem = (body: any) => body.error.errors[0]

describe('routes', () => {
  test('every operation of the description has its route', async () => {
    for (const {path, httpMethod, parameters, operationId} of operations) {
      const values = Object.fromEntries(Object.keys(parameters).map(name => [name, 'x']))
      const answer = await service.json(httpMethod, expandPath(path, values), {token: null})
      expect([operationId, answer.status]).toEqual([operationId, 403])
    }
  })

  test.each([
    ['GET', '/drive/v2/nothing', 404],
    ['GET', '/drive/v2/', 404],
    ['GET', '/drive/v2/files//', 404],
    ['GET', '/drive/v2/files/a/b/c/d', 404],
    ['GET', '/drive/v3/files', 404],
    ['GET', '/upload/drive/v2/about', 404],
    ['GET', '/nothing', 404],
    ['GET', '/nowhere', 404],
  ])('%s %s is %i', async (method, path, status) => {
    const {body, ...answer} = await service.json(method, path)
    expect(answer.status).toBe(status)
    expect(problem(body).reason).toBe('notFound')
  })

  test.each([
    ['POST', '/drive/v2/about', 'GET'],
    ['PATCH', '/drive/v2/files', 'GET, POST'],
    // A literal path is never an ID.
    ['GET', '/drive/v2/files/trash', 'DELETE'],
    ['DELETE', '/drive/v2/files/generateIds', 'GET'],
    ['GET', '/upload/drive/v2/files', 'POST'],
    ['POST', '/discovery/v1/apis', 'GET'],
  ])('%s %s is 405 and lists the allowed methods', async (method, path, allow) => {
    const {status, headers, body} = await service.json(method, path)
    expect([status, headers.get('allow')?.split(', ').sort().join(', ')]).toEqual([405, allow])
    expect(problem(body).reason).toBe('methodNotAllowed')
  })

  test('a preflight is refused, and no header for other origins is sent', async () => {
    const headers = {origin: 'https://evil.example', 'access-control-request-method': 'GET'}
    const preflight = await service.send('OPTIONS', 'files', {token: null, headers})
    expect(preflight.status).toBe(405)
    const answer = await service.send('GET', 'about', {headers: {origin: 'https://evil.example'}})
    for (const {headers} of [preflight, answer]) {
      expect([...headers.keys()].filter(name => name.startsWith('access-control'))).toEqual([])
    }
  })

  test.each([
    ['evil.example', 403],
    ['127.0.0.1.evil.example', 403],
    ['localhost', 401],
    ['LOCALHOST:1', 401],
    ['[::1]:80', 401],
  ])('the host %s gets %i', async (host, status) => {
    expect(await statusForHost(host)).toBe(status)
  })

  test('X-HTTP-Method-Override is supported', async () => {
    const {id} = await newFile()
    const headers = {'x-http-method-override': 'patch'}
    const {body} = await service.json('POST', `files/${id}`, {headers, body: {title: 'b'}})
    expect(body.title).toBe('b')
    const wrong = {'x-http-method-override': 'BREW'}
    expect((await service.send('POST', `files/${id}`, {headers: wrong})).status).toBe(400)
  })

  test('HEAD returns the headers of GET, without the body', async () => {
    const {id} = await newFile()
    const content = 'x'.repeat(100_000)
    await service.send('PUT', `/upload/drive/v2/files/${id}`, {body: content})
    for (const path of [
      'about',
      `files/${id}`,
      `files/${id}?alt=media`,
      'files/none',
      'files/none/children?maxResults=x',
      '/discovery/v1/apis/drive/v2/rest',
      '/login/device',
    ]) {
      const [get, head] = [await service.send('GET', path), await service.send('HEAD', path)]
      expect([head.status, await head.text()], path).toEqual([get.status, ''])
      for (const name of ['content-length', 'content-type', 'etag', 'content-disposition']) {
        expect(head.headers.get(name), `${path} ${name}`).toBe(get.headers.get(name))
      }
      await get.text()
    }
    const range = {headers: {range: 'bytes=0-9'}}
    const whole = await service.send('HEAD', `files/${id}?alt=media`, range)
    expect([whole.status, whole.headers.get('content-length')]).toEqual([200, '100000'])
    expect((await service.send('HEAD', 'channels/stop')).status).toBe(405)
  })

  test('an internal error shows no details', async () => {
    const {status, body} = await service.json('GET', 'apps/x')
    expect([status, problem(body).reason]).toEqual([500, 'internalError'])
    expect(JSON.stringify(body)).not.toContain('secret')
    expect(failures).toEqual([new Error('a secret of the inside')])
  })
})

test('if another process writes too long, the error is retryable', async () => {
  const {status, body} = await service.json('POST', 'files/x/touch')
  expect([status, problem(body).reason]).toEqual([503, 'backendError'])
})

test('a response in progress is completed before the service stops', async () => {
  const ending = await startTestService()
  let send: (text: string) => void = () => undefined
  let end: () => void = () => undefined
  const body = new ReadableStream({
    start(controller) {
      send = text => controller.enqueue(new TextEncoder().encode(text))
      end = () => controller.close()
    },
  })
  const answer = ending.json('POST', '/upload/drive/v2/files', {body})
  // Large enough to be stored in a file.
  send('x'.repeat(20_000))
  await expect.poll(() => readdirSync(join(ending.directory, 'content')).length).toBe(1)
  const closed = ending.close()
  send('last')
  end()
  expect(await answer).toMatchObject({status: 200, body: {fileSize: '20004'}})
  await closed
  await expect(ending.send('GET', 'about')).rejects.toThrow()
})

test.each(['0.0.0.0', '192.168.0.1', 'example.com'])('it does not listen on %s', async host => {
  await expect(createService({data: service.directory, host})).rejects.toThrow('127.0.0.1')
})

describe('authentication', () => {
  test('no token, an invalid one, or an insufficient scope', async () => {
    const none = await service.json('GET', 'about', {token: null})
    expect([none.status, problem(none.body).reason]).toEqual([403, 'required'])
    expect(none.headers.get('www-authenticate')).toMatch(/^Bearer /)
    const wrong = await service.json('GET', 'about', {token: 'drvp_wrong'})
    expect([wrong.status, problem(wrong.body).reason]).toEqual([401, 'authError'])
    const small = await service.json('POST', 'files', {
      token: service.token('local', ['drive.metadata.readonly']),
    })
    expect([small.status, problem(small.body).reason]).toEqual([403, 'insufficientPermissions'])
  })

  test.each(['access_token', 'oauth_token'])('the token may be passed as %s', async name => {
    const query = {[name]: service.token()}
    expect((await service.json('GET', 'about', {token: null, query})).status).toBe(200)
  })

  test('responses list the scopes', async () => {
    const {headers} = await service.json('GET', 'about')
    expect(headers.get('x-oauth-scopes')).toContain('/auth/drive')
    expect(headers.get('x-accepted-oauth-scopes')).toContain('/auth/drive.readonly')
  })
})

describe('parameters', () => {
  test.each([
    ['files', {maxResults: 'ten'}, 'invalidParameter', 'maxResults'],
    ['files', {maxResults: '-1'}, 'invalidParameter', 'maxResults'],
    ['files', {includeItemsFromAllDrives: 'yes'}, 'invalidParameter', 'includeItemsFromAllDrives'],
    ['files', {projection: 'TINY'}, 'invalidParameter', 'projection'],
    ['drives', {maxResults: '101'}, 'invalidParameter', 'maxResults'],
    ['about', {alt: 'xml'}, 'invalidParameter', 'alt'],
    ['about', {alt: 'media'}, 'invalidParameter', 'alt'],
    ['about', {alt: 'proto'}, 'badRequest', 'alt'],
    ['about', {prettyPrint: '1'}, 'invalidParameter', 'prettyPrint'],
    ['about', {callback: 'f('}, 'invalidParameter', 'callback'],
    ['about', {'$.xgafv': '3'}, 'invalidParameter', '$.xgafv'],
    ['drives', {useDomainAdminAccess: 'yes'}, 'invalidParameter', 'useDomainAdminAccess'],
    ['about', {fields: 'nonsense'}, 'invalidParameter', 'fields'],
    ['about', {fields: 'user('}, 'invalidParameter', 'fields'],
    ['files/x/export', {}, 'required', 'mimeType'],
    ['files/x/export', {mimeType: ''}, 'required', 'mimeType'],
  ])('GET %s with %o is 400 %s at %s', async (path, query, reason, location) => {
    const {status, body} = await service.json('GET', path, {
      query: query as unknown as Record<string, string>,
    })
    expect(status).toBe(400)
    expect(problem(body)).toMatchObject({reason, location, locationType: 'parameter'})
  })

  test.each([
    ['ocr', 'true'],
    ['ocrLanguage', 'de'],
    ['timedTextLanguage', 'de'],
    ['timedTextTrackName', 'Director'],
  ])('%s is accepted everywhere, although it has no effect', async (name, value) => {
    const {id} = await newFile()
    for (const [method, path] of [
      ['POST', 'files'],
      ['PUT', `files/${id}`],
      ['PATCH', `files/${id}`],
      ['POST', `files/${id}/copy`],
    ] as const) {
      const options = {query: {[name]: value}, body: {title: name}}
      const {status, body} = await service.json(method, path, options)
      expect([method, path, status, body.title]).toEqual([method, path, 200, name])
    }
    const upload = await service.json('POST', '/upload/drive/v2/files', {
      query: {uploadType: 'media', [name]: value},
      body: 'text',
    })
    expect([upload.status, upload.body.fileSize]).toEqual([200, '4'])
  })

  test('texts for an email are accepted, although none is sent', async () => {
    const {id} = await newFile()
    const {status} = await service.json('POST', `files/${id}/permissions`, {
      query: {emailMessage: 'Look at this'},
      body: {role: 'reader', type: 'user', value: 'ann@example.com'},
    })
    expect(status).toBe(200)
  })

  test.each(['ocr=perhaps', 'ocr=1'])('%s is an invalid value', async pair => {
    const {status, body} = await service.json('POST', `files?${pair}`)
    expect([status, problem(body).location]).toEqual([400, 'ocr'])
  })

  test('harmless values are accepted', async () => {
    const query = {userIp: '1', unheard: 'of', key: 'k', quotaUser: 'q', '$.xgafv': '2', fields: ''}
    expect((await service.json('GET', 'about', {query})).status).toBe(200)
  })

  test.each([
    ['quotaUser', 'x'.repeat(41), 'it must not be longer than 40 characters.'],
    ['includePermissionsForView', 'other', 'it must be published.'],
  ])('%s has its own rule', async (name, value, sentence) => {
    // The service checks later whether the file exists.
    const path = 'files/none'
    const {status, body} = await service.json('GET', path, {query: {[name]: value}})
    expect([status, problem(body).reason, problem(body).location]).toEqual([
      400,
      'invalidParameter',
      name,
    ])
    expect(problem(body).message).toContain(sentence)
    for (const good of ['', name === 'quotaUser' ? '😀'.repeat(40) : 'published']) {
      const {status} = await service.json('GET', 'files', {query: {[name]: good}})
      expect(status).toBe(200)
    }
  })

  test('the last of several values counts; an excessive page size is reduced', async () => {
    expect((await service.json('GET', 'files?maxResults=x&maxResults=5000')).status).toBe(200)
    expect((await service.json('GET', 'files?maxResults=1&maxResults=x')).status).toBe(400)
  })

  test('fields select, prettyPrint indents', async () => {
    const {id} = await newFile({title: 'shown'})
    const read = async (query: Record<string, string>) =>
      (await service.send('GET', `files/${id}`, {query})).text()
    expect(await read({fields: 'title,labels/trashed', prettyPrint: 'false'})).toBe(
      '{"title":"shown","labels":{"trashed":false}}',
    )
    expect(await read({fields: 'title'})).toBe('{\n "title": "shown"\n}')
  })
})

describe('JSON bodies', () => {
  test.each([
    ['not JSON', {body: '{', headers: {'content-type': 'application/json'}}, 400, 'parseError'],
    ['not an object', {body: [1]}, 400, 'badRequest'],
    ['not UTF-8', {body: Buffer.from([0x7b, 0xff]), headers: {}}, 400, 'parseError'],
    ['another type', {body: 'a=b', headers: {'content-type': 'text/plain'}}, 400, 'badRequest'],
    ['a wrong field', {body: {title: 5}}, 400, 'invalid'],
    ['nothing in a list', {body: {parents: [null]}}, 400, 'invalid'],
    ['a text that ends early', {body: {title: 'a\0b'}}, 400, 'invalid'],
    ['no gzip', {body: '{}', headers: {'content-encoding': 'gzip'}}, 400, 'badRequest'],
    ['an unknown packing', {body: '{}', headers: {'content-encoding': 'br'}}, 415, 'badRequest'],
    ['too much', {body: Buffer.alloc(16 * 1024 * 1024 + 1, ' ')}, 413, 'requestTooLarge'],
    ['too much inside', packed(Buffer.alloc(16 * 1024 * 1024 + 1, ' ')), 413, 'requestTooLarge'],
  ])('%s', async (_, options, status, reason) => {
    const answer = await service.json('POST', 'files', options as RequestOptions)
    expect([answer.status, problem(answer.body).reason]).toEqual([status, reason])
  })

  test('a missing field is named', async () => {
    const {id} = await newFile()
    const {status, body} = await service.json('POST', `files/${id}/properties`, {
      body: {value: 'x'},
    })
    expect(status).toBe(400)
    expect(problem(body)).toMatchObject({reason: 'required', location: 'key'})
  })

  test('gzip, a byte order mark, and a missing type are accepted', async () => {
    const json = '\uFEFF{"title": "packed"}'
    const {body} = await service.json('POST', 'files', packed(Buffer.from(json)))
    expect(body.title).toBe('packed')
    const plain = await service.json('POST', 'files', {body: Buffer.from('{"title": "bare"}')})
    expect(plain.body.title).toBe('bare')
  })

  function packed(bytes: Buffer): RequestOptions {
    return {
      body: gzipSync(bytes),
      headers: {'content-encoding': 'gzip', 'content-type': 'application/json'},
    }
  }
})

describe('responses', () => {
  test('a list has the fields of its record in the description, with and without a next page', async () => {
    const token = service.token('local', ['drive', 'drive.apps.readonly'])
    const folder = await newFile({title: 'f', mimeType: 'application/vnd.google-apps.folder'})
    await newFile({title: 'a', parents: [folder]})
    const {id} = await newFile({title: 'b', parents: [folder]})
    for (const text of ['1', '2']) {
      const reader = {role: 'reader', type: 'user', value: `${text}@example.com`}
      await service.json('PUT', `/upload/drive/v2/files/${id}`, {body: text})
      await service.json('POST', `files/${id}/permissions`, {body: reader})
      await service.json('POST', 'drives', {query: {requestId: `lists${text}`}, body: {name: text}})
    }
    const paged: string[] = []
    for (const {path, verb, parameters, operationId, response, document} of operations) {
      if (verb !== 'list') continue
      const {status, body} = await service.json(
        'GET',
        expandPath(path, {fileId: id, folderId: folder.id}),
        {token, query: 'maxResults' in parameters ? {maxResults: '1'} : {}},
      )
      expect([operationId, status]).toEqual([operationId, 200])
      const known = Object.keys(document.schemas[response!.$ref!]!.properties!)
      expect(known, operationId).toEqual(expect.arrayContaining(Object.keys(body)))
      if ('nextPageToken' in body) paged.push(operationId)
    }
    expect(paged).toEqual(
      expect.arrayContaining(['children.list', 'files.list', 'permissions.list', 'revisions.list']),
    )
  })

  test('the page of an account shows no personal data', async () => {
    const pages = ['local', 'nobody'].map(async login => {
      const answer = await service.send('GET', `/users/${login}`, {token: null})
      expect([answer.status, answer.headers.get('x-frame-options')]).toEqual([200, 'DENY'])
      return answer.text()
    })
    const [known, unknown] = await Promise.all(pages)
    expect(known).toBe(unknown)
  })
})

describe('a trailing slash in a path', () => {
  test('is ignored', async () => {
    const {id} = await newFile({title: 'slashed'})
    const found = await service.json('GET', '/drive/v2/files/', {
      query: {q: "title = 'slashed'", maxResults: '5'},
    })
    expect([found.status, found.body.items.map((item: {id: string}) => item.id)]).toEqual([
      200,
      [id],
    ])
    expect(found.body.selfLink).toContain('/drive/v2/files?')
    for (const path of [`files/${id}/`, 'about/', `files/${id}/permissions/`]) {
      expect((await service.json('GET', path)).status).toBe(200)
    }
    expect((await service.json('POST', 'files/', {body: {title: 'made'}})).body.title).toBe('made')
    expect((await service.json('POST', '/upload/drive/v2/files/', {body: 'x'})).status).toBe(200)
    for (const path of ['/discovery/v1/apis/', '/discovery/v1/apis/drive/v2/rest/', '/user/']) {
      expect((await service.json('GET', path)).status).toBe(200)
    }
  })

  test('also in an upload session, and in a batch', async () => {
    const begun = await service.send('POST', '/upload/drive/v2/files/', {
      query: {uploadType: 'resumable'},
    })
    const {pathname, search} = new URL(begun.headers.get('location')!)
    expect((await service.json('PUT', `${pathname}/${search}`, {body: 'x'})).status).toBe(200)
    const batch = await service.send('POST', '/batch/drive/v2/', {
      headers: {'content-type': 'multipart/mixed; boundary=b'},
      body: '--b\r\nContent-Type: application/http\r\n\r\nGET /drive/v2/about/?fields=kind\r\n\r\n--b--',
    })
    expect(await batch.text()).toContain('drive#about')
  })
})

describe('conditional requests', () => {
  test('a resource without an ETag is not compared', async () => {
    const {id} = await newFile()
    const folder = await newFile({title: 'f', mimeType: 'application/vnd.google-apps.folder'})
    const drive = await service.json('POST', 'drives', {
      query: {requestId: `conditions${id}`},
      body: {name: 'd'},
    })
    const bob = {role: 'reader', type: 'user', value: 'bob@example.com'}
    const attempts: [string, string, object?][] = [
      ['GET', `drives/${drive.body.id}`],
      ['GET', 'drives'],
      ['PUT', `drives/${drive.body.id}`, {name: 'e'}],
      ['POST', `drives/${drive.body.id}/hide`],
      ['POST', `files/${id}/parents`, {id: folder.id}],
      ['GET', `files/${id}/parents/${folder.id}`],
      ['DELETE', `files/${id}/parents/${folder.id}`],
      ['POST', `files/${folder.id}/children`, {id}],
      ['GET', `files/${folder.id}/children/${id}`],
      ['DELETE', `files/${folder.id}/children/${id}`],
      ['POST', `files/${id}/permissions`, bob],
      ['POST', `files/${id}/properties`, {key: 'k', value: 'v'}],
      ['GET', 'permissionIds/bob@example.com'],
      ['GET', 'changes/startPageToken'],
      ['GET', 'files/generateIds'],
      ['DELETE', 'files/trash'],
    ]
    for (const tag of ['*', '"x"']) {
      for (const [method, path, body] of attempts) {
        const answer = await service.json(method, path, {headers: {'if-match': tag}, body})
        expect([tag, method, path, answer.status]).toEqual([
          tag,
          method,
          path,
          answer.body === undefined ? 204 : 200,
        ])
      }
    }
    const unmatched = {headers: {'if-none-match': '*'}, body: {name: 'f'}}
    expect((await service.json('PUT', `drives/${drive.body.id}`, unmatched)).status).toBe(200)
    const gone = {headers: {'if-match': '*'}, body: {name: 'f'}}
    expect((await service.json('PUT', 'drives/nowhere', gone)).status).toBe(404)
  })

  test('an asterisk matches any existing resource', async () => {
    const {id} = await newFile()
    const star = {headers: {'if-match': '*'}}
    const bob = {role: 'reader', type: 'user', value: 'bob@example.com'}
    const permission = await service.json('POST', `files/${id}/permissions`, {body: bob})
    await service.json('POST', `files/${id}/properties`, {body: {key: 'k', value: 'v'}})
    const attempts: [string, string, object?][] = [
      ['GET', `files/${id}`],
      ['PATCH', `files/${id}`, {title: 'b'}],
      ['POST', `files/${id}/trash`],
      ['PATCH', `files/${id}/permissions/${permission.body.id}`, {role: 'writer'}],
      ['PATCH', `files/${id}/properties/k`, {value: 'w'}],
      ['PATCH', `files/${id}/revisions/head`, {pinned: true}],
    ]
    for (const [method, path, body] of attempts) {
      expect([path, (await service.json(method, path, {...star, body})).status]).toEqual([
        path,
        200,
      ])
    }
    expect((await service.json('PATCH', 'files/nowhere', {...star, body: {}})).status).toBe(404)
    // No entity exists yet that a condition could match.
    expect((await service.json('POST', 'files', star)).status).toBe(412)
  })

  test('If-None-Match on GET', async () => {
    const {id, etag} = await newFile()
    const get = (tag: string) =>
      service.json('GET', `files/${id}`, {headers: {'if-none-match': tag}})
    for (const tag of [etag, `W/${etag}`, '*', `"x", ${etag}`]) {
      const {status, body, headers} = await get(tag)
      expect([status, body, headers.get('etag')]).toEqual([304, undefined, etag])
    }
    expect((await get('"x"')).status).toBe(200)
  })

  test('If-Match on every change', async () => {
    const {id, etag} = await newFile()
    const attempts: [string, string, object?][] = [
      ['PATCH', `files/${id}`, {title: 'b'}],
      ['PUT', `files/${id}`, {title: 'b'}],
      ['POST', `files/${id}/trash`],
      ['DELETE', `files/${id}`],
      ['POST', 'files', {title: 'none to match'}],
    ]
    for (const [method, path, body] of attempts) {
      const answer = await service.json(method, path, {headers: {'if-match': '"x"'}, body})
      expect([path, answer.status]).toEqual([path, 412])
      expect(problem(answer.body)).toMatchObject({
        reason: 'conditionNotMet',
        locationType: 'header',
        location: 'If-Match',
      })
    }
    const changed = await service.json('PATCH', `files/${id}`, {
      headers: {'if-match': `"other", W/${etag}`},
      body: {title: 'c'},
    })
    expect(changed.status).toBe(200)
    expect(changed.headers.get('etag')).toBe(changed.body.etag)
    const late = await service.json('DELETE', `files/${id}`, {headers: {'if-match': etag}})
    expect(late.status).toBe(412)
    const gone = await service.json('DELETE', `files/${id}`, {headers: {'if-match': '*'}})
    expect([gone.status, gone.body]).toEqual([204, undefined])
  })

  test('a condition on an upload is checked at its end', async () => {
    const {id, etag} = await newFile()
    const start = () =>
      service.send('PUT', `/upload/drive/v2/files/${id}`, {
        query: {uploadType: 'resumable'},
        headers: {'if-match': etag},
      })
    const begun = await start()
    expect(begun.status).toBe(200)
    await service.json('PATCH', `files/${id}`, {body: {title: 'faster'}})
    const ended = await service.json('PUT', begun.headers.get('location')!, {
      body: 'x',
    })
    expect(ended.status).toBe(412)
    expect((await start()).status).toBe(412)
  })

  test('a nested resource', async () => {
    const {id} = await newFile()
    await service.json('POST', `files/${id}/properties`, {body: {key: 'k', value: 'v'}})
    const path = `files/${id}/properties/k`
    const {body} = await service.json('GET', path)
    const update = (tag: string) =>
      service.json('PATCH', path, {headers: {'if-match': tag}, body: {value: 'w'}})
    expect((await update('"x"')).status).toBe(412)
    expect((await update(body.etag)).status).toBe(200)
  })

  test('a resource that the query distinguishes from another of the same name', async () => {
    const {id} = await newFile()
    const property = {key: 'k', value: 'v', visibility: 'PUBLIC'}
    await service.json('POST', `files/${id}/properties`, {body: property})
    const path = `files/${id}/properties/k`
    const query = {visibility: 'PUBLIC'}
    const {etag} = (await service.json('GET', path, {query})).body
    const update = (tag: string) =>
      service.json('PATCH', path, {query, headers: {'if-match': tag}, body: {value: 'w'}})
    expect((await update('"x"')).status).toBe(412)
    expect((await update(etag)).body.value).toBe('w')
  })
})

describe('links of pages', () => {
  test('the link repeats the query with the next page token', async () => {
    await newFile()
    await newFile()
    const own = {maxResults: '1', fields: 'items/kind,nextLink,selfLink', prettyPrint: 'false'}
    for (const path of ['files', 'changes', 'files/root/children']) {
      const {selfLink, nextLink} = (
        await service.json('GET', path, {
          token: null,
          query: {...own, quotaUser: 'me', access_token: service.token()},
        })
      ).body
      expect(Object.fromEntries(new URL(selfLink).searchParams)).toEqual({...own, quotaUser: 'me'})
      const {body} = await service.json('GET', nextLink)
      expect([path, body.items]).toEqual([path, [{kind: expect.any(String)}]])
    }
  })
})

describe('downloads', () => {
  const get = (id: string, headers: Record<string, string> = {}) =>
    service.send('GET', `files/${id}`, {query: {alt: 'media'}, headers})

  test('complete', async () => {
    const id = await newContent('0123456789')
    const response = await get(id)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/plain',
      'content-length': '10',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-disposition': expect.stringMatching(/^attachment; filename="/),
    })
    expect(await response.text()).toBe('0123456789')
    const again = await get(id, {'if-none-match': response.headers.get('etag')!})
    expect([again.status, await again.text()]).toEqual([304, ''])
  })

  test.each([
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=8-', 206, '89', 'bytes 8-9/10'],
    ['bytes=8-99', 206, '89', 'bytes 8-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=-99', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=0-1,4-5', 200, '0123456789', null],
    ['bytes=5-2', 200, '0123456789', null],
    ['lines=1-2', 200, '0123456789', null],
    ['bytes=-', 200, '0123456789', null],
  ])('Range: %s', async (range, status, text, contentRange) => {
    const response = await get(await newContent('0123456789'), {range})
    expect([response.status, await response.text()]).toEqual([status, text])
    expect(response.headers.get('content-range')).toBe(contentRange)
  })

  test.each([
    ['0123456789', 'bytes=10-'],
    ['0123456789', 'bytes=-0'],
    ['', 'bytes=0-'],
  ])('of %o the range %s is not available', async (content, range) => {
    const response = await get(await newContent(content), {range})
    expect(response.status).toBe(416)
    expect(response.headers.get('content-range')).toBe(`bytes */${content.length}`)
    expect(problem(await response.json()).reason).toBe('requestedRangeNotSatisfiable')
  })

  test('If-Range returns the range only for the same content', async () => {
    const id = await newContent('0123456789')
    const etag = (await get(id)).headers.get('etag')!
    const same = await get(id, {range: 'bytes=0-1', 'if-range': etag})
    expect([same.status, await same.text()]).toEqual([206, '01'])
    for (const other of ['"x"', `W/${etag}`, 'Sat, 21 Nov 2026 09:30:00 GMT']) {
      expect((await get(id, {range: 'bytes=0-1', 'if-range': other})).status).toBe(200)
    }
  })

  test.each([
    ['plain.txt', 'attachment; filename="plain.txt"'],
    ['a"b\\c%.txt', `attachment; filename="a_b_c_.txt"; filename*=UTF-8''a%22b%5Cc%25.txt`],
    ['Grüße.txt', `attachment; filename="Gr__e.txt"; filename*=UTF-8''Gr%C3%BC%C3%9Fe.txt`],
    [
      'x\r\nSet-Cookie: a=b',
      `attachment; filename="x__Set-Cookie: a=b"; filename*=UTF-8''x%0D%0ASet-Cookie%3A%20a%3Db`,
    ],
  ])('the title %j as a file name', async (title, header) => {
    const response = await get(await newContent('x', 'text/plain', title))
    expect(response.headers.get('content-disposition')).toBe(header)
    expect(response.headers.get('set-cookie')).toBeNull()
  })

  test('the URL for downloads', async () => {
    const id = await newContent('Hello')
    for (const query of [{}, {alt: 'media'}] as Record<string, string>[]) {
      const response = await service.send('GET', `/download/drive/v2/files/${id}`, {query})
      expect(await response.text()).toBe('Hello')
    }
  })

  test('an error is JSON anyway', async () => {
    const response = await get('nothing')
    expect(response.status).toBe(404)
    expect(problem(await response.json()).reason).toBe('notFound')
  })
})

describe('the description', () => {
  test.each(['/discovery/v1/apis/drive/v2/rest', '/$discovery/rest?version=v2'])(
    '%s',
    async path => {
      const {status, body, headers} = await service.json('GET', path, {token: null})
      expect(status).toBe(200)
      expect(body).toMatchObject({id: 'drive:v2', rootUrl: `${service.url}/`})
      expect(body.resources).toEqual(JSON.parse(JSON.stringify(description.resources)))
      const again = await service.send('GET', path, {
        token: null,
        headers: {'if-none-match': headers.get('etag')!},
      })
      expect(again.status).toBe(304)
    },
  )

  test('its URLs use the requested address', async () => {
    const {port} = new URL(service.url)
    const response = await fetch(`http://localhost:${port}/discovery/v1/apis/drive/v2/rest`)
    const document = (await response.json()) as {rootUrl: string}
    expect(document.rootUrl).toBe(`http://localhost:${port}/`)
  })

  test('the list, with its filters', async () => {
    const list = async (query: Record<string, string>) =>
      (await service.json('GET', '/discovery/v1/apis', {token: null, query})).body
    const {items} = await list({})
    expect(items).toMatchObject([{id: 'drive:v2', preferred: true}])
    expect((await fetch(items[0].discoveryRestUrl)).status).toBe(200)
    expect((await list({name: 'drive', preferred: 'true'})).items).toHaveLength(1)
    expect((await list({name: 'dri'})).items).toEqual([])
    expect((await list({preferred: 'perhaps'})).error.code).toBe(400)
  })

  test.each(['/discovery/v1/apis/drive/v3/rest', '/$discovery/rest?version=v1'])(
    '%s is 404',
    async path => {
      expect((await service.json('GET', path, {token: null})).body.error.code).toBe(404)
    },
  )
})

describe('the coverage table', () => {
  test('has every parameter of every operation', () => {
    const rows = coverageTable().split('\n')
    for (const {operationId, parameters} of operations) {
      for (const name of Object.keys(parameters)) {
        expect(rows.filter(row => row.startsWith(`| ${operationId} | \`${name}\``))).toHaveLength(1)
      }
    }
    expect(rows.filter(row => row.startsWith('| every operation |'))).toHaveLength(
      Object.keys(commonParameters).length,
    )
  })

  test('parameters listed as refused are refused', async () => {
    const {id} = await newFile()
    const refusals = operations.flatMap(target =>
      queryParameters(target).flatMap(([name, schema]) =>
        coverageTable().includes(`| ${target.operationId} | \`${name}\` | refused`)
          ? [{target, name, value: schema.type === 'boolean' ? 'true' : 'x'}]
          : [],
      ),
    )
    expect(refusals.length).toBeGreaterThan(10)
    for (const {target, name, value} of refusals) {
      const values = Object.fromEntries(Object.keys(target.parameters).map(key => [key, id]))
      const {status} = await service.json(target.httpMethod, expandPath(target.path, values), {
        query: {[name]: value, ...(target.operationId === 'drives.insert' && {requestId: 'r'})},
        body: target.request && {role: 'reader', type: 'anyone'},
      })
      expect([target.operationId, name, status]).toEqual([target.operationId, name, 403])
    }
  })
})

/** `fetch` sets the header `Host` itself. */
function statusForHost(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    httpRequest(new URL('/user', service.url), {headers: {host}}, response => {
      response.resume()
      resolve(response.statusCode!)
    })
      .on('error', reject)
      .end()
  })
}
