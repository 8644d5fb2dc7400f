import {afterAll, beforeAll, expect, test} from 'vitest'
import {runningServices} from '#lib/service/control/running.js'
import {sendControl} from '#lib/service/control/send.js'
import {readFaultPlan} from '#lib/service/faults/read.js'
import {faultPlanText} from '#lib/service/faults/write.js'
import {createInspectSessions} from '#lib/service/inspect/sessions.js'
import {launchBrowser, missingBrowser, openTab} from '../../support/chromium.js'
import {notesOf} from '../../support/page-notes.js'
import {startTestService, type TestService} from '../harness.js'

/** The pages for the owner of the data directory: requests, clock and failures. */

let service: TestService
beforeAll(async () => {
  service = await startTestService({isControlled: true})
})
afterAll(() => service.close())

/** Returns a new link to the inspector. */
async function newLink(): Promise<string> {
  const {path} = await sendControl(runningServices(service.directory)[0]!, 'inspect')
  return String(path)
}

const visit = (path: string, cookie = '') =>
  service.send('GET', path, {token: null, headers: {cookie}})

/** Opens a link and returns the cookie. */
async function signIn(): Promise<string> {
  const opened = await visit(await newLink())
  expect(opened.status).toBe(302)
  return opened.headers.get('set-cookie')!.split(';')[0]!
}

/** Sends the form of the page with the clock and the failures. */
async function submit(cookie: string, fields: Record<string, string>, headers = {}) {
  const page = await (await visit('/inspect/controls', cookie)).text()
  const [, formToken = ''] = /name="authenticity_token" value="([^"]*)"/.exec(page) ?? []
  const response = await service.send('POST', '/inspect/controls', {
    token: null,
    headers: {cookie, 'content-type': 'application/x-www-form-urlencoded', ...headers},
    body: new URLSearchParams({authenticity_token: formToken, ...fields}).toString(),
  })
  return {status: response.status, text: await response.text()}
}

/** The rows of the list, as method and path. */
async function requestsIn(path: string, cookie: string): Promise<string[]> {
  const text = await (await visit(path, cookie)).text()
  return [...text.matchAll(/<code>((?:GET|POST|PUT|DELETE) [^<]*)<\/code>/g)].map(
    ([, name]) => name!,
  )
}

test('a link works once, and only its browser sees the pages', async () => {
  for (const path of ['/inspect', '/inspect/controls', '/inspect/events', '/inspect/requests/1']) {
    const refused = await visit(path)
    expect([path, refused.status]).toEqual([path, 403])
    expect(await refused.text()).toContain('drv local inspect')
  }
  const link = await newLink()
  const opened = await visit(link)
  const set = opened.headers.get('set-cookie')!
  expect(set).toMatch(/^drv_inspect_\d+=[\w-]{32}; Path=\/inspect; HttpOnly; SameSite=Strict$/)
  expect(opened.headers.get('location')).toBe('/inspect')
  expect((await visit(link)).status).toBe(403)
  expect((await visit('/inspect?code=guessed')).status).toBe(403)
  expect((await visit('/inspect', set.split(';')[0])).status).toBe(200)
  const other = await startTestService()
  expect((await other.send('GET', '/inspect', {token: null})).status).toBe(404)
  await other.close()
})

test('a link expires after 5 minutes', () => {
  let now = 0
  let at = 0
  const sessions = createInspectSessions(
    size => Buffer.alloc(size, ++at),
    () => now,
  )
  const request = {url: new URL('http://127.0.0.1:1/inspect'), headers: {}} as never
  const [first, second] = [sessions.newCode(), sessions.newCode()]
  now = 5 * 60_000
  expect(sessions.open(first, request)).toBeDefined()
  now += 1
  expect(sessions.open(second, request)).toBeUndefined()
})

test('requests are listed, filtered and shown in full, with the item that they changed', async () => {
  const cookie = await signIn()
  const {body} = await service.json('POST', 'files', {body: {title: 'a'}})
  await service.send('GET', `files/${body.id}`)
  await service.send('GET', 'files/missing')
  await service.send('DELETE', `files/${body.id}`, {token: null})
  const all = await requestsIn('/inspect', cookie)
  expect(all.slice(0, 3)).toEqual([
    `DELETE /drive/v2/files/${body.id}`,
    'GET /drive/v2/files/missing',
    `GET /drive/v2/files/${body.id}`,
  ])
  expect(all.some(name => name.includes('/inspect'))).toBe(false)
  expect((await requestsIn('/inspect?operation=files.*&status=404', cookie))[0]).toBe(
    'GET /drive/v2/files/missing',
  )
  expect(await requestsIn('/inspect?user=nobody', cookie)).toEqual([])
  expect(await requestsIn(`/inspect?path=${body.id}&status=2xx`, cookie)).toHaveLength(1)
  for (const query of ['operation=nope', 'operation=nope.*', 'status=9']) {
    expect((await visit(`/inspect?${query}`, cookie)).status).toBe(400)
  }
  const {entries, position} = service.requestLog.after(0)
  const number = position - entries.length + entries.findIndex(({item}) => item === body.id) + 1
  const full = await (await visit(`/inspect/requests/${number}`, cookie)).text()
  expect(full).toContain(`href="/open/${body.id}"`)
  expect(full).toContain('auth/drive')
  expect((await visit('/inspect/requests/999999', cookie)).status).toBe(404)
})

test('a new item is recorded even if the response does not name it', async () => {
  const query = {fields: 'title'}
  const {body} = await service.json('POST', 'files', {query, body: {title: 'unnamed'}})
  expect(body).toEqual({title: 'unnamed'})
  const {item} = service.requestLog.entries().at(-1)!
  expect((await service.json('GET', `files/${item}`)).body.title).toBe('unnamed')
})

test('continued uploads name their operation and the new file', async () => {
  const started = await service.send('POST', '/upload/drive/v2/files?uploadType=resumable', {
    body: {title: 'big'},
  })
  const response = await fetch(started.headers.get('location')!, {method: 'PUT', body: 'abc'})
  const {id} = (await response.json()) as {id: string}
  const [first, last] = service.requestLog.entries().slice(-2)
  expect(first).toMatchObject({operation: 'files.insert', status: 200})
  expect(first!.item).toBeUndefined()
  expect(last).toMatchObject({continues: 'files.insert', user: 'local', item: id})
  expect(last!.operation).toBeUndefined()
})

test('the clock moves, and failures begin and end', async () => {
  const cookie = await signIn()
  const start = service.clock.now
  const moved = await submit(cookie, {action: 'clock', to: '+16m'})
  expect(moved.status).toBe(200)
  expect(notesOf(moved.text).split('\n')[1]).toRead()
  const time = (await sendControl(runningServices(service.directory)[0]!, 'clock')).now
  expect(time).toBe(start + 16 * 60_000)
  for (const to of ['2020-01-01', 'soon', '16m', '']) {
    expect([to, (await submit(cookie, {action: 'clock', to})).status]).toEqual([to, 400])
  }
  const plan = '{"rules": [{"operations": "files.list", "fault": "status", "status": 503}]}'
  const replaced = await submit(cookie, {action: 'faults', plan})
  expect(replaced.status).toBe(200)
  expect(notesOf(replaced.text).split('\n')[1]).toRead()
  expect((await service.send('GET', 'files')).status).toBe(503)
  expect((await submit(cookie, {action: 'faults', plan: '{'})).status).toBe(400)
  expect((await submit(cookie, {action: 'nothing'})).status).toBe(400)
  expect((await submit(cookie, {action: 'end-faults'})).status).toBe(200)
  expect((await service.send('GET', 'files')).status).toBe(200)
})

test('forms of other pages are refused', async () => {
  const cookie = await signIn()
  const end = {action: 'end-faults'}
  expect((await submit(cookie, {...end, authenticity_token: 'x'})).status).toBe(403)
  expect((await submit(cookie, end, {origin: 'http://127.0.0.1:9'})).status).toBe(403)
  expect((await submit('', end)).status).toBe(403)
  expect((await service.send('POST', '/inspect', {token: null, headers: {cookie}})).status).toBe(
    405,
  )
})

test('a fault plan becomes the document that it was read from', () => {
  const document = {
    seed: 7,
    rules: [
      {
        operations: '*',
        fault: 'status',
        status: 503,
        retryAfter: 2,
        body: 'json',
        probability: 0.1,
      },
      {operations: ['files.get'], via: 'download', fault: 'truncate', after: 10, first: 1},
      {operations: ['files.copy'], fault: 'lose', hold: 0, calls: [2, 5]},
      {fault: 'refresh-lost', hold: 0, every: 3},
    ],
  }
  const plan = readFaultPlan(JSON.stringify(document))
  expect(JSON.parse(faultPlanText(plan))).toEqual(document)
  expect(readFaultPlan(faultPlanText(plan))).toEqual(plan)
})

test('new requests arrive as events, from a position on, and streams end with the service', async () => {
  const own = await startTestService({isControlled: true})
  const {path} = await sendControl(runningServices(own.directory)[0]!, 'inspect')
  const opened = await own.send('GET', String(path), {token: null})
  const cookie = opened.headers.get('set-cookie')!.split(';')[0]!
  await own.send('GET', 'about')
  const stream = await own.send('GET', '/inspect/events?operation=files.*&after=0', {
    token: null,
    headers: {cookie},
  })
  expect(stream.headers.get('content-type')).toBe('text/event-stream')
  const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const received = async (part: string) => {
    while (!text.includes(part)) text += (await reader.read()).value ?? ''
  }
  await received('retry')
  await own.send('GET', 'about')
  await own.send('GET', 'files')
  await received('files.list')
  expect(text).not.toContain('about.get')
  expect(text).toMatch(/id: 3\ndata: <tr[^\n]*<\/tr>\s*\n\n/)
  await own.close()
  expect((await reader.read()).done).toBe(true)
})

test('the list in a browser: live, and nothing in a request runs', async ({skip}) => {
  skip(missingBrowser !== undefined, missingBrowser)
  const browser = await launchBrowser()
  try {
    const {page, complaints} = await openTab(browser, {javaScriptEnabled: true})
    await page.goto(service.url + (await newLink()))
    await page.getByText('Live: new requests').waitFor()
    const payload = `<img src=/hit onerror="location='/hit'">`
    const token = service.token('local', ['drive'], payload)
    await service.send('GET', `/a/${payload}/b`, {token: null})
    await service.send('GET', 'about', {token})
    await page.getByText('about.get').first().waitFor()
    await page
      .getByRole('link', {name: /^Request \d+$/})
      .first()
      .click()
    expect(await page.locator('dd').allInnerTexts()).toContain(payload)
    await page.goBack()
    expect(service.requestLog.entries().some(({path}) => path === '/hit')).toBe(false)
    for (const width of [340, 1280]) {
      await page.setViewportSize({width, height: 800})
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      expect(await page.evaluate(overflow)).toBe(0)
    }
    expect(complaints).toEqual([])
  } finally {
    await browser.close()
  }
})
