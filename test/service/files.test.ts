import {createHash} from 'node:crypto'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {FOLDER_TYPE, SHORTCUT_TYPE} from '#lib/api/wire.js'
import {DOCUMENT_TYPE, SPREADSHEET_TYPE} from '#lib/service/content/types.js'
import {DamagedContent} from '#lib/service/store/content/damage.js'
import {REVISION_LIFETIME} from '#lib/service/store/files/revisions.js'
import {type Answer, startTestService, type TestService} from './harness.js'

let service: TestService

beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

function insert(body: object = {}, query: Record<string, string> = {}, token?: string) {
  return service.json('POST', 'files', {body, query, token})
}

/** Uploads content with the metadata of `body` in one request. */
function upload(
  content: string | Buffer,
  body: object = {},
  {type = 'text/plain', id, query = {}}: {type?: string; id?: string; query?: object} = {},
): Promise<Answer> {
  const path = `/upload/drive/v2/files${id === undefined ? '' : `/${id}`}`
  const head = `--b\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(body)}\r\n--b\r\n${
    type === '' ? '' : `Content-Type: ${type}\r\n`
  }\r\n`
  return service.json(id === undefined ? 'POST' : 'PUT', path, {
    query: {uploadType: 'multipart', ...query},
    headers: {'content-type': 'multipart/related; boundary=b'},
    body: Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from('\r\n--b--')]),
  })
}

function get(id: string, query: Record<string, string> = {}, token?: string) {
  return service.json('GET', `files/${id}`, {query, token})
}

function patch(id: string, body: object, query: Record<string, string> = {}, token?: string) {
  return service.json('PATCH', `files/${id}`, {body, query, token})
}

async function content(id: string, query: Record<string, string> = {}): Promise<string> {
  const response = await service.send('GET', `files/${id}`, {query: {alt: 'media', ...query}})
  return response.text()
}

async function share(id: string, login: string, role = 'reader') {
  service.token(login)
  const body = {type: 'user', role, value: `${login}@example.com`}
  expect((await service.json('POST', `files/${id}/permissions`, {body})).status).toBe(200)
}

const reason = ({body}: Answer) => body.error?.errors[0].reason as string

describe('files.insert', () => {
  test('an empty request creates an untitled empty file', async () => {
    const {status, body} = await service.json('POST', 'files')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      kind: 'drive#file',
      title: 'Untitled',
      mimeType: 'application/octet-stream',
      fileSize: '0',
      md5Checksum: 'd41d8cd98f00b204e9800998ecf8427e',
      originalFilename: 'Untitled',
      ownedByMe: true,
      shared: false,
      explicitlyTrashed: false,
      spaces: ['drive'],
      labels: {starred: false, trashed: false, viewed: true},
      parents: [{isRoot: true}],
      userPermission: {role: 'owner'},
    })
    expect(await content(body.id)).toBe('')
  })

  test('content and metadata together', async () => {
    const {body} = await upload('hello', {
      title: 'a.tar.gz',
      mimeType: 'text/x-mine',
      description: 'About',
      createdDate: '2020-01-02T03:04:05Z',
      modifiedDate: '2021-01-02T03:04:05Z',
      lastViewedByMeDate: '2022-01-02T03:04:05Z',
      labels: {starred: true},
      properties: [{key: 'k', value: 'v', visibility: 'PUBLIC'}],
      writersCanShare: false,
      copyRequiresWriterPermission: true,
    })
    expect(body).toMatchObject({
      title: 'a.tar.gz',
      mimeType: 'text/x-mine',
      description: 'About',
      fileSize: '5',
      quotaBytesUsed: '5',
      md5Checksum: createHash('md5').update('hello').digest('hex'),
      sha256Checksum: createHash('sha256').update('hello').digest('hex'),
      createdDate: '2020-01-02T03:04:05.000Z',
      modifiedDate: '2021-01-02T03:04:05.000Z',
      lastViewedByMeDate: '2022-01-02T03:04:05.000Z',
      fullFileExtension: 'tar.gz',
      fileExtension: 'gz',
      labels: {starred: true, restricted: true},
      properties: [{key: 'k', value: 'v', visibility: 'PUBLIC'}],
      writersCanShare: false,
    })
    expect(body.downloadUrl.startsWith(service.url)).toBe(true)
    expect(await content(body.id)).toBe('hello')
  })

  test.each([
    ['of the part', '', {title: 'a.csv'}, 'text/html', 'text/html'],
    ['of the name', 'x', {title: 'a.csv'}, '', 'text/csv'],
    ['of the bytes', '%PDF-1.4', {title: 'a'}, '', 'application/pdf'],
    ['of the body', '%PDF-1.4', {mimeType: 'text/x-a; charset=x'}, 'text/html', 'text/x-a'],
    ['of nothing', 'x', {title: 'a'}, '', 'application/octet-stream'],
  ])('the type %s', async (_name, bytes, body, type, expected) => {
    expect((await upload(bytes, body, {type})).body.mimeType).toBe(expected)
  })

  test('a PNG has its dimensions', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000200000001008', 'hex')
    const {body} = await upload(png, {title: 'p.png'}, {type: ''})
    expect(body).toMatchObject({
      mimeType: 'image/png',
      imageMediaMetadata: {width: 32, height: 16},
      hasThumbnail: true,
    })
  })

  test('folders and shortcuts have no content', async () => {
    const folder = await insert({mimeType: FOLDER_TYPE, folderColorRgb: '#4886e8'})
    expect(folder.body).toMatchObject({folderColorRgb: '#4986e7'})
    for (const field of ['fileSize', 'md5Checksum', 'headRevisionId', 'downloadUrl']) {
      expect(folder.body).not.toHaveProperty(field)
    }
    const target = folder.body.id as string
    const shortcut = await insert({mimeType: SHORTCUT_TYPE, shortcutDetails: {targetId: target}})
    expect(shortcut.body.shortcutDetails).toEqual({targetId: target, targetMimeType: FOLDER_TYPE})
    expect((await upload('x', {mimeType: FOLDER_TYPE})).status).toBe(400)
    const again = {mimeType: SHORTCUT_TYPE, shortcutDetails: {targetId: shortcut.body.id}}
    expect(reason(await insert(again))).toBe('shortcutTargetInvalid')
    const download = await service.json('GET', `files/${target}`, {query: {alt: 'media'}})
    expect([download.status, reason(download)]).toEqual([403, 'fileNotDownloadable'])
  })

  test.each([
    ['a type that is none', {mimeType: 'nonsense'}, 400, 'invalid'],
    ['an unknown own type', {mimeType: 'application/vnd.google-apps.x'}, 400, 'invalid'],
    ['a shortcut to nothing', {mimeType: SHORTCUT_TYPE}, 400, 'required'],
    ['a target without a shortcut', {shortcutDetails: {targetId: 'x'}}, 400, 'invalid'],
    ['a colour for a file', {folderColorRgb: '#000000'}, 400, 'badRequest'],
    ['a colour that is none', {mimeType: FOLDER_TYPE, folderColorRgb: 'blue'}, 400, 'invalid'],
    ['an unknown parent', {parents: [{id: 'nowhere'}]}, 404, 'notFound'],
    ['two parents', {parents: [{id: 'root'}, {id: 'root'}]}, 403, 'cannotAddParent'],
    ['a parent without an ID', {parents: [{}]}, 400, 'required'],
    ['too long a text', {indexableText: {text: 'x'.repeat(131_073)}}, 400, 'badRequest'],
    ['a thumbnail of no type', {thumbnail: {image: 'AAAA'}}, 400, 'required'],
    ['a thumbnail that is none', {thumbnail: {image: 'AA', mimeType: 'a/b'}}, 400, 'invalid'],
    ['a long property', {properties: [{key: 'k', value: 'v'.repeat(124)}]}, 400, 'invalid'],
    ['an ID that was made up', {id: 'made-up'}, 400, 'invalid'],
    ['two locks', {contentRestrictions: [{readOnly: true}, {}]}, 400, 'badRequest'],
    [
      'an update of links that there is none for',
      {linkShareMetadata: {securityUpdateEnabled: false}},
      403,
      'insufficientFilePermissions',
    ],
  ])('refuses %s', async (_name, body, status, expected) => {
    const answer = await insert(body)
    expect([answer.status, reason(answer)]).toEqual([status, expected])
  })

  test('a parent that is not a folder, or not writable', async () => {
    const file = await insert()
    expect(reason(await insert({parents: [{id: file.body.id}]}))).toBe('parentNotAFolder')
    const folder = await insert({mimeType: FOLDER_TYPE})
    await share(folder.body.id, 'reader')
    const answer = await insert({parents: [{id: folder.body.id}]}, {}, service.token('reader'))
    expect([answer.status, reason(answer)]).toEqual([403, 'insufficientParentPermissions'])
  })

  test('a generated ID makes an insert repeatable', async () => {
    const {body} = await service.json('GET', 'files/generateIds', {query: {maxResults: '3'}})
    expect(body).toMatchObject({kind: 'drive#generatedIds', space: 'drive'})
    const [id, second, third] = body.ids as string[]
    expect((await insert({id, title: 'mine'})).body).toMatchObject({id, title: 'mine'})
    const again = await insert({id})
    expect([again.status, reason(again)]).toEqual([409, 'fileIdInUse'])
    await service.send('DELETE', `files/${id}`)
    expect((await insert({id})).status).toBe(409)
    expect((await insert({id: second}, {}, service.token('other'))).status).toBe(400)
    expect((await insert({id: second, mimeType: DOCUMENT_TYPE})).status).toBe(400)
    expect((await insert({id: third, parents: [{id: 'appDataFolder'}]})).status).toBe(400)
    expect((await insert({id: second})).status).toBe(200)
  })

  test.each([
    [{space: 'photos'}, 'space'],
    [{type: 'folders'}, 'type'],
    [{type: 'shortcuts', space: 'appDataFolder'}, 'type'],
    [{maxResults: '1001'}, 'maxResults'],
  ])('generateIds refuses %j', async (query, location) => {
    const {status, body} = await service.json('GET', 'files/generateIds', {query})
    expect([status, body.error.errors[0].location]).toEqual([400, location])
  })

  test('the app data folder is created on first use and visible only to its app', async () => {
    const token = service.token('local', ['drive.appdata'], 'app-1')
    const folder = await get('appDataFolder', {}, token)
    expect(folder.body).toMatchObject({mimeType: FOLDER_TYPE, appDataContents: true})
    const {body} = await insert({parents: [{id: 'appdata'}]}, {}, token)
    expect(body).toMatchObject({spaces: ['appDataFolder'], parents: [{id: folder.body.id}]})
    expect((await get(body.id, {}, service.token('local', ['drive'], 'app-1'))).status).toBe(404)
    expect(
      (await get(body.id, {}, service.token('local', ['drive.appdata'], 'app-2'))).status,
    ).toBe(404)
    const trash = await service.json('POST', `files/${body.id}/trash`, {token})
    expect(trash.status).toBe(403)
    const out = await patch(
      body.id,
      {},
      {addParents: 'root', removeParents: folder.body.id},
      service.token('local', ['drive', 'drive.appdata'], 'app-1'),
    )
    expect(reason(out)).toBe('notSupportedForAppDataFolderFiles')
  })

  test('full-text search finds the title, indexable text and content', async () => {
    const {body} = await upload('zebra crossing', {
      title: 'quokka list',
      indexableText: {text: 'wombat'},
    })
    expect(body).not.toHaveProperty('indexableText')
    const find = async (word: string) => {
      const query = {q: `fullText contains '${word}'`, fields: 'items(id)'}
      const list = await service.json('GET', 'files', {query})
      return (list.body.items as {id: string}[]).map(item => item.id)
    }
    for (const word of ['zebra', 'quokka', 'wombat']) expect(await find(word)).toEqual([body.id])
    await upload('giraffe', {title: 'numbat'}, {id: body.id})
    for (const word of ['zebra', 'quokka']) expect(await find(word)).toEqual([])
    for (const word of ['giraffe', 'numbat', 'wombat']) expect(await find(word)).toEqual([body.id])
    const copy = await service.json('POST', `files/${body.id}/copy`, {
      body: {title: 'x', indexableText: {text: 'dingo'}},
    })
    expect(await find('dingo')).toEqual([copy.body.id])
    expect((await find('giraffe')).sort()).toEqual([body.id, copy.body.id].sort())
    expect(await find('wombat')).toEqual([body.id])
    const document = await upload('okapi', {}, {query: {convert: 'true'}})
    expect(await find('okapi')).toEqual([document.body.id])
    expect(await find('charset')).toEqual([])
  })

  test('a thumbnail can be sent and read', async () => {
    const image = Buffer.from('not really a picture')
    const {body} = await insert({
      thumbnail: {image: image.toString('base64url'), mimeType: 'image/png'},
    })
    expect(body).toMatchObject({hasThumbnail: true, thumbnailVersion: '1'})
    const link = new URL(body.thumbnailLink)
    const picture = await service.send('GET', link.pathname + link.search)
    expect(picture.headers.get('content-type')).toBe('image/png')
    expect(await picture.text()).toBe('not really a picture')
    expect((await patch(body.id, {thumbnail: null})).body).toMatchObject({
      hasThumbnail: false,
      thumbnailVersion: '0',
    })
  })

  test.each([FOLDER_TYPE, DOCUMENT_TYPE, 'text/plain'])(
    'a thumbnail has a version even if there is none: %s',
    async mimeType => {
      const {body} = await insert({mimeType})
      expect(body).toMatchObject({hasThumbnail: false, thumbnailVersion: '0'})
    },
  )
})

describe('editor documents', () => {
  test('are made from text and exported again', async () => {
    const {body} = await upload('a < b\n', {title: 'Doc'}, {query: {convert: 'true'}})
    expect(body.mimeType).toBe(DOCUMENT_TYPE)
    for (const field of ['md5Checksum', 'fileSize', 'downloadUrl', 'headRevisionId']) {
      expect(body).not.toHaveProperty(field)
    }
    expect(Object.keys(body.exportLinks)).toEqual(['text/html', 'text/plain'])
    const link = new URL(body.exportLinks['text/plain'])
    const text = await service.send('GET', link.pathname + link.search)
    expect(text.headers.get('content-type')).toContain('text/plain')
    // `text()` would remove the byte order mark.
    expect(Buffer.from(await text.arrayBuffer()).toString()).toBe('\uFEFFa < b\n')
    const wrong = await service.json('GET', `files/${body.id}/export`, {
      query: {mimeType: 'application/pdf'},
    })
    expect([wrong.status, wrong.body.error.errors[0].location]).toEqual([400, 'mimeType'])
    expect(reason(await service.json('GET', `files/${body.id}`, {query: {alt: 'media'}}))).toBe(
      'fileNotDownloadable',
    )
  })

  test('accept new content, and are copied with it', async () => {
    const {body} = await upload('a,b\n', {mimeType: SPREADSHEET_TYPE}, {type: 'text/csv'})
    expect(body.mimeType).toBe(SPREADSHEET_TYPE)
    expect(
      (await upload('c\td\n', {}, {id: body.id, type: 'text/tab-separated-values'})).status,
    ).toBe(200)
    const copy = await service.json('POST', `files/${body.id}/copy`)
    const csv = await service.send('GET', `files/${copy.body.id}/export`, {
      query: {mimeType: 'text/csv'},
    })
    expect(await csv.text()).toBe('c,d\n')
  })

  test('start empty, and only two types can be exported', async () => {
    const {body} = await insert({mimeType: DOCUMENT_TYPE})
    const query = {mimeType: 'text/plain'}
    expect(await (await service.send('GET', `files/${body.id}/export`, {query})).text()).toBe('')
    const form = await insert({mimeType: 'application/vnd.google-apps.form'})
    expect(form.body).not.toHaveProperty('exportLinks')
    expect((await service.json('GET', `files/${form.body.id}/export`, {query})).status).toBe(400)
    const plain = await insert()
    expect(reason(await service.json('GET', `files/${plain.body.id}/export`, {query}))).toBe(
      'fileNotExportable',
    )
  })

  test('are not created from every type', async () => {
    const query = {convert: 'true'}
    expect((await upload('x', {}, {type: 'image/png', query})).status).toBe(400)
    expect((await upload('x', {mimeType: SPREADSHEET_TYPE}, {type: 'text/plain'})).status).toBe(400)
  })

  test('have a limit for exports', async () => {
    const {body} = await upload('&'.repeat(3 * 1024 * 1024), {}, {query: {convert: 'true'}})
    const answer = await service.json('GET', `files/${body.id}/export`, {
      query: {mimeType: 'text/html'},
    })
    expect(reason(answer)).toBe('exportSizeLimitExceeded')
  })
})

describe('files.update and files.patch', () => {
  test('do not change omitted fields, and clear null fields', async () => {
    const {body: file} = await insert({title: 'a', description: 'd'})
    for (const method of ['PUT', 'PATCH']) {
      const {body} = await service.json(method, `files/${file.id}`, {body: {title: `by ${method}`}})
      expect(body).toMatchObject({title: `by ${method}`, description: 'd'})
    }
    const {body} = await patch(file.id, {description: null, title: null})
    expect(body).not.toHaveProperty('description')
    expect(body.title).toBe('Untitled')
  })

  test('a complete record sent back changes only the view date', async () => {
    const {body: file} = await upload('x', {title: 'a', properties: [{key: 'k', value: 'v'}]})
    service.clock.now += 1000
    const answer = await service.json('PUT', `files/${file.id}`, {body: file})
    expect(answer.status).toBe(200)
    const {etag, version, lastViewedByMeDate, capabilities, properties, ...same} = file
    expect(answer.body).toMatchObject(same)
    expect(Number(answer.body.version)).toBeGreaterThan(Number(version))
    expect(answer.body.etag).not.toBe(etag)
    expect(answer.body.lastViewedByMeDate > lastViewedByMeDate).toBe(true)
    expect([capabilities.canEdit, properties.length]).toEqual([true, 1])
  })

  test('a star is per user and does not change the modified date', async () => {
    const {body: file} = await insert()
    await share(file.id, 'stargazer')
    service.clock.now += 1000
    const token = service.token('stargazer')
    const {body} = await patch(file.id, {labels: {starred: true}}, {}, token)
    expect(body.labels.starred).toBe(true)
    expect(body.modifiedDate).toBe(file.modifiedDate)
    expect((await get(file.id)).body.labels.starred).toBe(false)
    expect(reason(await patch(file.id, {title: 'x'}, {}, token))).toBe(
      'insufficientFilePermissions',
    )
  })

  test('updateViewedDate', async () => {
    const {body: file} = await insert({labels: {viewed: false}})
    expect(file.labels.viewed).toBe(false)
    const unseen = await patch(file.id, {title: 'b'}, {updateViewedDate: 'false'})
    expect(unseen.body).not.toHaveProperty('lastViewedByMeDate')
    expect((await patch(file.id, {title: 'c'})).body.labels.viewed).toBe(true)
    expect((await patch(file.id, {labels: {viewed: false}})).body.labels.viewed).toBe(false)
    expect((await get(file.id, {updateViewedDate: 'true'})).body.labels.viewed).toBe(true)
  })

  test('new content is a new revision, or replaces the newest', async () => {
    const {body: file} = await upload('one', {title: 'a.txt'})
    const {body: two} = await upload('second', {}, {id: file.id})
    expect(two.headRevisionId).not.toBe(file.headRevisionId)
    expect(two.quotaBytesUsed).toBe('9')
    const {body: three} = await upload('3', {}, {id: file.id, query: {newRevision: 'false'}})
    expect(three).toMatchObject({headRevisionId: two.headRevisionId, quotaBytesUsed: '4'})
    expect(await content(file.id)).toBe('3')
    expect(await content(file.id, {revisionId: file.headRevisionId})).toBe('one')
    const missing = await service.json('GET', `files/${file.id}`, {
      query: {alt: 'media', revisionId: 'none'},
    })
    expect([missing.status, missing.body.error.errors[0].location]).toEqual([404, 'revisionId'])
  })

  test('old content is deleted 30 days after newer content, unless pinned', async () => {
    const {body: file} = await upload('one', {title: 'a.txt'})
    const pinned = await upload('two', {}, {id: file.id, query: {pinned: 'true'}})
    await upload('three', {}, {id: file.id})
    service.clock.now += REVISION_LIFETIME
    await upload('four', {}, {id: file.id})
    const {body} = await service.json('GET', `files/${file.id}/revisions`)
    expect(body.items.map((item: {id: string}) => item.id)).not.toContain(file.headRevisionId)
    expect(body.items).toHaveLength(3)
    expect(body.items[0]).toMatchObject({id: pinned.body.headRevisionId, pinned: true})
    expect((await get(file.id)).body.quotaBytesUsed).toBe('12')
  })

  test('at most a hundred revisions are kept', async () => {
    const {body: file} = await upload('0', {title: 'many.txt'})
    for (let count = 1; count <= 101; count++) await upload(String(count), {}, {id: file.id})
    const {body} = await service.json('GET', `files/${file.id}/revisions`)
    expect(body.items).toHaveLength(100)
    expect(await content(file.id)).toBe('101')
  })

  test('the media type changes only with content, and not to another kind', async () => {
    const {body: file} = await upload('x', {title: 'a.txt'})
    for (const mimeType of ['text/html', FOLDER_TYPE, 'nonsense', null]) {
      const {status, body} = await patch(file.id, {mimeType, title: 'b.txt'})
      expect([status, body.mimeType]).toEqual([200, 'text/plain'])
    }
    expect((await upload('x', {mimeType: 'text/html'}, {id: file.id})).body.mimeType).toBe(
      'text/html',
    )
    expect((await upload('x', {mimeType: FOLDER_TYPE}, {id: file.id})).status).toBe(400)
  })

  test('the extension is kept for a title without one', async () => {
    const {body: file} = await upload('x', {title: 'a.txt'})
    expect((await patch(file.id, {title: 'b'})).body.fullFileExtension).toBe('txt')
    expect((await patch(file.id, {title: 'b.md'})).body.fullFileExtension).toBe('md')
  })

  test('modified date from the body', async () => {
    const {body: file} = await insert()
    const wish = {modifiedDate: '2001-02-03T04:05:06.007Z'}
    expect((await patch(file.id, wish)).body.modifiedDate).toBe(file.modifiedDate)
    expect((await patch(file.id, wish, {setModifiedDate: 'true'})).body).toMatchObject({
      ...wish,
      modifiedByMeDate: wish.modifiedDate,
    })
    const missing = await patch(file.id, {}, {modifiedDateBehavior: 'fromBody'})
    expect([missing.status, reason(missing)]).toEqual([400, 'required'])
  })

  test('a lock prevents changes of content, title and comments until it is removed', async () => {
    const {body: file} = await upload('x', {title: 'a.txt'})
    await share(file.id, 'editor', 'writer')
    const token = service.token('editor')
    const lock = {contentRestrictions: [{readOnly: true, ownerRestricted: true, reason: 'Final'}]}
    expect((await patch(file.id, lock, {}, token)).status).toBe(403)
    const {body} = await patch(file.id, lock)
    expect(body).toMatchObject({
      contentRestrictions: [
        {readOnly: true, reason: 'Final', restrictingUser: {kind: 'drive#user'}},
      ],
      capabilities: {canModifyContent: false, canRename: false, canComment: false, canEdit: true},
    })
    expect(reason(await patch(file.id, {title: 'b'}))).toBe('contentRestricted')
    expect((await upload('y', {}, {id: file.id})).status).toBe(403)
    expect((await patch(file.id, {contentRestrictions: []}, {}, token)).status).toBe(403)
    const lifted = await patch(file.id, {contentRestrictions: [{readOnly: false}]})
    expect(lifted.body).not.toHaveProperty('contentRestrictions')
    expect((await upload('y', {}, {id: file.id})).status).toBe(200)
  })

  test('readers cannot download content with copyRequiresWriterPermission', async () => {
    const {body: file} = await upload('x', {copyRequiresWriterPermission: true})
    await share(file.id, 'onlooker')
    const token = service.token('onlooker')
    const seen = await get(file.id, {fields: '*'}, token)
    expect(seen.body).not.toHaveProperty('downloadUrl')
    expect(seen.body).not.toHaveProperty('permissions')
    expect(reason(await get(file.id, {alt: 'media'}, token))).toBe('cannotDownloadFile')
    expect(reason(await service.json('POST', `files/${file.id}/copy`, {token}))).toBe(
      'cannotCopyFile',
    )
  })

  test('a token for metadata does not give access to content', async () => {
    const {body: file} = await upload('x')
    const token = service.token('local', ['drive.metadata'])
    expect((await patch(file.id, {title: 'b'}, {}, token)).status).toBe(200)
    const answer = await get(file.id, {alt: 'media'}, token)
    expect([answer.status, reason(answer)]).toEqual([403, 'insufficientPermissions'])
  })

  test('touch sets the modified date', async () => {
    const {body: file} = await insert()
    service.clock.now += 5000
    const {body} = await service.json('POST', `files/${file.id}/touch`)
    expect(body.modifiedDate).toBe(new Date(service.clock.now).toISOString())
    expect(body.modifiedByMeDate).toBe(body.modifiedDate)
    expect(body.etag).not.toBe(file.etag)
  })
})

describe('files.copy', () => {
  test('copies content and fields, and the caller owns the copy', async () => {
    const {body: folder} = await insert({mimeType: FOLDER_TYPE})
    const {body: file} = await upload('x', {
      title: 'a.txt',
      description: 'd',
      parents: [{id: folder.id}],
      properties: [{key: 'k', value: 'v', visibility: 'PUBLIC'}],
    })
    const {body: beside} = await service.json('POST', `files/${file.id}/copy`)
    expect(beside).toMatchObject({
      title: 'Copy of a.txt',
      description: 'd',
      parents: [{id: folder.id}],
      properties: [{key: 'k', value: 'v'}],
      md5Checksum: file.md5Checksum,
    })
    expect(beside.id).not.toBe(file.id)
    await share(file.id, 'copier')
    const {body: theirs} = await service.json('POST', `files/${file.id}/copy`, {
      token: service.token('copier'),
      body: {title: 'mine', description: null},
    })
    expect(theirs).toMatchObject({title: 'mine', ownedByMe: true, parents: [{isRoot: true}]})
    expect(theirs).not.toHaveProperty('description')
  })

  test('keeps its content when the source is deleted', async () => {
    const {body: file} = await upload('shared bytes')
    const {body: copy} = await service.json('POST', `files/${file.id}/copy`)
    await service.send('DELETE', `files/${file.id}`)
    expect(await content(copy.id)).toBe('shared bytes')
    const {blob_id: blobId} = service.store.get<{blob_id: string}>(
      'SELECT blob_id FROM revisions WHERE file_id = :id',
      {id: copy.id},
    )!
    await service.send('DELETE', `files/${copy.id}`)
    expect(() => service.store.content.readAll({id: blobId, size: 12})).toThrow(DamagedContent)
    expect(service.store.get('SELECT 1 FROM blobs WHERE id = :blobId', {blobId})).toBeUndefined()
  })

  test('a folder cannot be copied', async () => {
    const {body} = await insert({mimeType: FOLDER_TYPE})
    const answer = await service.json('POST', `files/${body.id}/copy`)
    expect([answer.status, reason(answer)]).toEqual([403, 'cannotCopyFile'])
  })
})

test('the record has every capability and link', async () => {
  const {body} = await upload('x', {title: 'a.txt'})
  expect(Object.values(body.capabilities).every(value => typeof value === 'boolean')).toBe(true)
  const parent = body.parents[0]
  for (const link of [
    body.selfLink,
    body.downloadUrl,
    body.webContentLink,
    body.embedLink,
    body.iconLink,
    body.owners[0].picture.url,
    body.lastModifyingUser.picture.url,
    body.userPermission.photoLink,
    body.userPermission.selfLink,
    parent.selfLink,
    parent.parentLink,
  ]) {
    const url = new URL(link)
    expect(url.origin).toBe(new URL(service.url).origin)
    expect((await service.send('GET', url.pathname + url.search)).status).toBe(200)
  }
  // A browser may have to sign in first.
  expect((await fetch(body.alternateLink)).status).toBe(200)
})

test('the page of embedLink can be embedded, that of alternateLink cannot', async () => {
  const {body} = await insert({mimeType: FOLDER_TYPE})
  const open = await fetch(body.alternateLink)
  expect(open.headers.get('x-frame-options')).toBe('DENY')
  expect(open.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  const embedded = await fetch(body.embedLink)
  expect([embedded.status, embedded.headers.get('x-frame-options')]).toEqual([200, null])
  expect(embedded.headers.get('content-security-policy')).not.toContain('frame-ancestors')
  expect(await embedded.text()).toContain(body.id)
})

test('markedViewedByMeDate is the start of Unix time', async () => {
  const {body} = await insert()
  expect(body.markedViewedByMeDate).toBe('1970-01-01T00:00:00.000Z')
})

test('an image needs no token, and reveals nothing about its user', async () => {
  const url = new URL((await insert()).body.owners[0].picture.url)
  const answer = await fetch(url)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
  const other = await fetch(new URL('/avatars/1.svg', url))
  expect(other.status).toBe(200)
  for (const path of ['/avatars/.svg', '/avatars/a/b.svg', '/avatars/x', '/open/x/other']) {
    expect((await fetch(new URL(path, url))).status).toBe(404)
  }
})

test('includePermissionsForView supports one view', async () => {
  const {body} = await insert()
  expect((await get(body.id, {includePermissionsForView: 'published'})).status).toBe(200)
  expect((await get(body.id, {includePermissionsForView: 'other'})).status).toBe(400)
})

describe('fields', () => {
  test('permissions are returned only if requested', async () => {
    const {body: made} = await insert({title: 'guarded'})
    expect(made).not.toHaveProperty('permissions')
    expect((await patch(made.id, {title: 'guarded well'})).body).not.toHaveProperty('permissions')
    expect((await get(made.id)).body).not.toHaveProperty('permissions')
    const list = async (fields?: string) => {
      const query = {q: "title contains 'guarded'", ...(fields && {fields})}
      return (await service.json('GET', 'files', {query})).body.items[0]
    }
    expect(await list()).not.toHaveProperty('permissions')
    for (const fields of ['permissions', '*', 'permissions/role']) {
      const {body} = await get(made.id, {fields})
      expect(body.permissions, fields).toMatchObject([{role: 'owner'}])
    }
    for (const fields of ['items/permissions', 'items(id,permissions)', 'items/*', 'items', '*']) {
      expect((await list(fields)).permissions, fields).toMatchObject([{role: 'owner'}])
    }
    const query = {fields: 'id,permissions'}
    const {body: another} = await service.json('POST', 'files', {query, body: {title: 'b'}})
    expect(another.permissions).toMatchObject([{role: 'owner'}])
  })

  test('a field requested alone has the same value as among all, for every kind of record', async () => {
    const {body: drive} = await service.json('POST', 'drives', {
      query: {requestId: 'fields'},
      body: {name: 'fields'},
    })
    const things: ReadonlyArray<readonly [object, Record<string, string>]> = [
      [{title: 'folder', mimeType: FOLDER_TYPE}, {}],
      [{title: 'document', mimeType: DOCUMENT_TYPE}, {}],
      [{title: 'file', properties: [{key: 'k', value: 'v'}], labels: {starred: true}}, {}],
      [{title: 'in a drive', parents: [{id: drive.id}]}, {supportsAllDrives: 'true'}],
    ]
    for (const [thing, query] of things) {
      const {body: made} = await insert(thing, query)
      if (!query.supportsAllDrives) await share(made.id, 'reader')
      const {body: whole} = await get(made.id, query)
      const parts = await Promise.all(
        Object.keys(whole).map(async fields => (await get(made.id, {...query, fields})).body),
      )
      expect(Object.assign({}, ...parts)).toEqual(whole)
      const {body: list} = await service.json('GET', 'files', {
        query: {
          q: `title = '${whole.title}'`,
          fields: 'items(id,labels/starred,owners,parents(id),shared,permissionIds)',
          supportsAllDrives: 'true',
          includeItemsFromAllDrives: 'true',
        },
      })
      expect(list.items).toContainEqual({
        id: whole.id,
        labels: {starred: whole.labels.starred},
        parents: [{id: whole.parents[0].id}],
        permissionIds: whole.permissionIds,
        ...(whole.owners && {owners: whole.owners}),
        ...('shared' in whole && {shared: whole.shared}),
      })
    }
  })
})
