import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {isPassivePdf} from '#lib/service/window/passive-pdf.js'
import {notesOf} from '../../support/page-notes.js'
import {startTestService, type TestService} from '../harness.js'
import {addFolder, addItem, pdfWith} from './window-files.js'

/** The pages that show files, as HTML. Their look and their safety are tested in a browser. */

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

/** Requests a page without a token, as a browser. */
function visit(path: string, cookie = '', of: TestService = service): Promise<Response> {
  return of.send('GET', path, {token: null, headers: {accept: 'text/html', cookie}})
}

/** The visible text of a page, one line per piece. */
async function textOf(path: string, cookie = ''): Promise<string> {
  const response = await visit(path, cookie)
  expect(response.status).toBe(200)
  const body = (await response.text()).replace(/<(style|title)>[^]*?<\/\1>/g, '')
  const text = body
    .replace(/<[^>]*>/g, '\n')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
  return text.replace(/\s*\n\s*/g, '\n')
}

/** The names in the list of a page, in order. */
async function namesIn(path: string): Promise<string[]> {
  const body = await (await visit(path)).text()
  return [...body.matchAll(/class="entry[^>]*>.*?<bdi class="name">(.*?)<\/bdi>/gs)].map(
    ([, name]) => name!.trim(),
  )
}

describe('a folder', () => {
  let folder: string
  beforeAll(async () => {
    folder = (await addFolder(service, 'Sorted')).id
    const parents = [{id: folder}]
    for (const [title, content] of [
      ['b10.txt', 'xx'],
      ['B2.txt', 'xxx'],
      ['a.txt', 'x'],
    ] as const) {
      service.clock.now += 60_000
      await addItem(service, {title, content, parents})
    }
    await addFolder(service, 'z', folder)
  })

  test.each([
    ['', ['z', 'a.txt', 'B2.txt', 'b10.txt']],
    ['?sort=-name', ['z', 'b10.txt', 'B2.txt', 'a.txt']],
    ['?sort=size', ['z', 'a.txt', 'b10.txt', 'B2.txt']],
    ['?sort=-size', ['B2.txt', 'b10.txt', 'a.txt', 'z']],
    ['?sort=modified', ['b10.txt', 'B2.txt', 'a.txt', 'z']],
    ['?sort=constructor', ['z', 'a.txt', 'B2.txt', 'b10.txt']],
  ])('is sorted by %j', async (query, names) => {
    expect(await namesIn(`/open/${folder}${query}`)).toEqual(names)
  })

  test('has pages', async () => {
    const {id} = await addFolder(service, 'Many')
    for (let at = 0; at < 101; at++) {
      await addItem(service, {title: `${at}`, parents: [{id}]})
    }
    const path = `/open/${id}?sort=-name`
    expect(await namesIn(path)).toHaveLength(100)
    const next = /href="([^"]*page=[^"]*)"/.exec(await (await visit(path)).text())![1]!
    expect(await namesIn(next.replaceAll('&#38;', '&'))).toEqual(['0'])
  })

  test('of the account is its start', async () => {
    expect(await namesIn('/my-drive')).toContain('Sorted')
    const details = await (await visit(`/open/${folder}/details`)).text()
    expect(details).toContain(`<a class="button main" href="/open/${folder}">`)
  })
})

describe('a file', () => {
  test('has a preview, details, access, revisions and changes', async () => {
    const folder = await addFolder(service, 'Shared folder')
    await service.json('POST', `files/${folder.id}/permissions`, {
      body: {type: 'user', role: 'writer', value: 'ada@example.com'},
    })
    const {id} = await addItem(service, {
      title: 'minutes.txt',
      content: 'first line',
      description: 'What was said',
      parents: [{id: folder.id}],
      properties: [{key: 'project', value: 'apollo', visibility: 'PUBLIC'}],
    })
    await service.send('PUT', `/upload/drive/v2/files/${id}?uploadType=media`, {
      body: 'second <line>',
    })
    const text = await textOf(`/open/${id}`)
    for (const piece of [
      ...['My Drive\n', 'Shared folder\n', 'second <line>', 'What was said', '13 bytes'],
      ...['project\n:\napollo', 'inherited from\nShared folder', 'writer', 'current'],
      'Your changes',
    ]) {
      expect(text).toContain(piece)
    }
    const {items} = (await service.json('GET', `files/${id}/revisions`)).body
    expect(items).toHaveLength(2)
    const old = await visit(`/open/${id}/download?revisionId=${items[0].id}`)
    expect(await old.text()).toBe('first line')
  })

  test('of a shared drive is in its place', async () => {
    const {body: drive} = await service.json('POST', 'drives', {
      query: {requestId: '1'},
      body: {name: 'Finance'},
    })
    const {id} = await addItem(service, {title: 'plan', content: 'x', parents: [{id: drive.id}]})
    expect(await textOf('/shared-drives')).toContain('Finance')
    expect(await namesIn(`/open/${drive.id}`)).toEqual(['plan'])
    const page = await (await visit(`/open/${id}`)).text()
    expect(page).toMatch(/href="\/shared-drives"[^]*>Finance</)
  })

  test.each([
    ['text/plain', 'inline', 'text/plain; charset=utf-8'],
    ['text/html', 'inline', 'text/plain; charset=utf-8'],
    ['application/json', 'inline', 'text/plain; charset=utf-8'],
    ['image/png', 'inline', 'image/png'],
    ['image/svg+xml', 'inline', 'image/svg+xml'],
    ['application/pdf', 'inline', 'application/pdf'],
    ['application/xhtml+xml', 'inline', 'text/plain; charset=utf-8'],
    ['application/zip', 'attachment; filename="x"', 'application/zip'],
    ['application/octet-stream', 'attachment; filename="x"', 'application/octet-stream'],
  ])('of type %s is %s', async (mimeType, disposition, type) => {
    const {id} = await addItem(service, {title: 'x', mimeType, content: '<p>'})
    const {headers} = await visit(`/open/${id}/content`)
    expect(headers.get('content-disposition')).toBe(disposition)
    expect(headers.get('content-type')).toBe(type)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
    const policy = headers.get('content-security-policy')!
    expect(policy.includes('sandbox')).toBe(mimeType !== 'application/pdf')
    expect(policy).toContain("default-src 'none'")
    const saved = await visit(`/open/${id}/download`)
    expect(saved.headers.get('content-disposition')).toBe('attachment; filename="x"')
  })

  test('can be a document, which is exported', async () => {
    const {body} = await service.json('POST', '/upload/drive/v2/files?convert=true', {
      body: 'some text',
      headers: {'content-type': 'text/plain'},
    })
    expect(await textOf(`/open/${body.id}`)).toMatch(/some text(.|\n)*/)
    const saved = await visit(`/open/${body.id}/download?exportType=text/html`)
    expect(await saved.text()).toContain('some text')
  })

  test.each([
    ['a page', pdfWith(), true],
    ['a script', pdfWith('<< /S /JavaScript /JS (app.alert(1)) >>'), false],
    ['a link', pdfWith('<< /S /URI /URI (http://example.com) >>'), false],
    ['a link in disguise', pdfWith('<< /S /U#52I /U#52I (http://example.com) >>'), false],
    ['compressed objects', pdfWith('<< /Type /ObjStm >>'), false],
    ['something else', '<html>', false],
  ])('that is a PDF with %s', async (_, content, isShown) => {
    const {id} = await addItem(service, {title: 'x', mimeType: 'application/pdf', content})
    expect(isPassivePdf(Buffer.from(content))).toBe(isShown)
    const body = await (await visit(`/open/${id}`)).text()
    expect(body.includes('<iframe')).toBe(isShown)
    // The button of the page opens a new tab as well.
    expect(body.match(/ target="_blank"/g)).toHaveLength(isShown ? 1 : 2)
  })
})

test('the trash, items shared with the account, and searches', async () => {
  const {id} = await addItem(service, {title: 'old plan', content: 'walrus'})
  await service.send('POST', `files/${id}/trash`)
  await addItem(service, {title: 'walrus.txt', content: 'x'})
  expect(await namesIn('/trash')).toEqual(['old plan'])
  expect(await namesIn('/search?q=walrus')).toEqual(['walrus.txt'])
  expect(await namesIn(`/search?q=${encodeURIComponent("it's")}`)).toEqual([])
  const query = encodeURIComponent("fullText contains 'walrus'")
  expect((await namesIn(`/search?q=${query}`)).sort()).toEqual(['old plan', 'walrus.txt'])
  const sorted = encodeURIComponent("title contains 'walrus' or title = 'old plan'")
  expect(await namesIn(`/search?q=${sorted}&sort=-name`)).toEqual(['walrus.txt', 'old plan'])
  const refused = await visit(`/search?q=${encodeURIComponent('title = ')}`)
  expect(refused.status).toBe(400)
  expect(notesOf(await refused.text())).toRead()
  const shared = await addItem(service, {title: 'for ada', content: 'x'})
  await service.json('POST', `files/${shared.id}/permissions`, {
    body: {type: 'user', role: 'reader', value: 'ada@example.com'},
  })
  expect(await namesIn('/shared-with-me')).toEqual([])
})

describe('sign-in', () => {
  let other: TestService
  let file: string
  let ada: string
  beforeAll(async () => {
    other = await startTestService()
    ada = other.token('ada')
    file = (await addItem(other, {title: 'confidential.txt', content: 'x'})).id
  })
  afterAll(() => other.close())

  /** Signs a browser in, and returns its cookie. */
  async function signIn(account: string): Promise<string> {
    const opened = await visit('/login', '', other)
    const [, formToken = ''] = /name="authenticity_token" value="([^"]*)"/.exec(
      await opened.text(),
    )!
    const cookie = opened.headers.get('set-cookie')!.split(';')[0]!
    const response = await other.send('POST', '/login', {
      token: null,
      headers: {cookie, 'content-type': 'application/x-www-form-urlencoded'},
      body: new URLSearchParams({account, authenticity_token: formToken}).toString(),
    })
    return response.headers.get('set-cookie')!.split(';')[0]!
  }

  test('is required for each page', async () => {
    for (const path of ['/my-drive', `/open/${file}`, `/open/${file}/content`, '/search?q=a']) {
      const response = await visit(path, '', other)
      expect(response.status).toBe(302)
      expect(response.headers.get('location')).toBe(`/login?return_to=${encodeURIComponent(path)}`)
    }
  })

  test('decides which files can be seen', async () => {
    const [local, foreign] = [await signIn('local'), await signIn('ada')]
    for (const view of ['', '/details', '/content', '/download', '/preview', '/thumbnail']) {
      const path = `/open/${file}${view}`
      expect((await visit(path, local, other)).status).toBe(200)
      const refused = await visit(path, foreign, other)
      expect(refused.status).toBe(404)
      expect(await refused.text()).not.toContain('confidential')
    }
  })

  test('is not needed with a token, which links of the API accept', async () => {
    const {body} = await other.json('GET', `files/${file}`)
    const get = (token: string, headers = {}) =>
      other.send('GET', body.webContentLink, {token, headers})
    const response = await get(other.token())
    expect(await response.text()).toBe('x')
    expect(response.headers.get('content-type')).toBe('text/plain')
    expect((await get(ada)).status).toBe(404)
    expect((await get('wrong')).status).toBe(401)
    const entry = other.requestLog.entries().at(-3)
    expect(entry).toMatchObject({operation: 'files.get', user: 'local', status: 200})
  })

  test('is up to the program in a service with an owner', async () => {
    const owned = await startTestService({isOwned: true})
    expect((await visit('/my-drive', '', owned)).status).toBe(403)
    await owned.close()
  })
})

test('pages can only be read', async () => {
  for (const path of ['/my-drive', '/open/x', '/search']) {
    expect((await service.send('POST', path, {token: null})).status).toBe(405)
  }
})
