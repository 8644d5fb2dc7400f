import {expect, test} from 'vitest'
import {ensureUser} from '#lib/service/store/users.js'
import {startTestService} from '../harness.js'
import {notesOf, ORIGIN, startBrowser, startOauth} from './calls.js'

/** The start page, whose URL `drv local serve` prints. */

test('says what the service is, links to everything, and every link works', async () => {
  const service = await startTestService()
  try {
    const answer = await fetch(service.url)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(answer.headers.get('x-frame-options')).toBe('DENY')
    const text = await answer.text()
    expect(text).toContain(`export DRV_BASE_URL=${service.url}<`)
    const links = [...text.matchAll(/href="([^"]*)"/g)].map(([, link]) => link!)
    expect(links).toEqual(
      expect.arrayContaining([
        ...['/settings/tokens', '/settings/applications', '/login/device'],
        ...['/docs', '/discovery/v1/apis', '/discovery/v1/apis/drive/v2/rest'],
      ]),
    )
    for (const link of links) {
      expect(link).toMatch(/^\//)
      expect((await fetch(new URL(link, service.url))).status, link).toBe(200)
    }
  } finally {
    await service.close()
  }
})

test('responds to HEAD and GET only', async () => {
  const oauth = startOauth()
  expect((await oauth.send('HEAD', '/')).status).toBe(200)
  expect((await oauth.send('POST', '/', {form: {}})).status).toBe(404)
})

/** A page without its style. */
const main = (text: string) => /<main\b[^>]*>[^]*<.main>/.exec(text)![0]

test('names the user signed in with this browser, and nobody else', async () => {
  const oauth = startOauth()
  ensureUser(oauth.store, 'anna', 0)
  ensureUser(oauth.store, 'bert', 0)
  const browser = startBrowser(oauth)
  const before = await browser.open('/')
  expect(notesOf(before.text)).toRead()
  expect(main(before.text)).not.toMatch(/anna|bert|@/)
  await browser.signIn('bert')
  const after = await browser.open('/')
  expect(notesOf(after.text)).toRead()
  expect(main(after.text)).not.toMatch(/anna|@/)
  const out = await browser.submit('/logout', {})
  expect(out.status).toBeLessThan(400)
  expect(notesOf((await browser.open('/')).text)).toRead()
})

test('shows its own URL escaped', async () => {
  const oauth = startOauth()
  const {text} = await oauth.send('GET', '/?a=<b>&return_to=//evil.example')
  expect(text).toContain(`export DRV_BASE_URL=${ORIGIN}<`)
  expect(text).not.toMatch(/evil|a=<b>/)
})
