import {expect, test} from 'vitest'
import {ensureUser} from '#lib/service/store/users.js'
import {startTestService} from '../harness.js'
import {notesOf, ORIGIN, startBrowser, startOauth} from './calls.js'

/** The page at the address that `drv local serve` tells. */

test('says what this is and where everything else is, and every link leads somewhere', async () => {
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

test('answers HEAD, and nothing else but GET', async () => {
  const oauth = startOauth()
  expect((await oauth.send('HEAD', '/')).status).toBe(200)
  expect((await oauth.send('POST', '/', {form: {}})).status).toBe(404)
})

/** A page without what decides how it looks. */
const main = (text: string) => /<main>[^]*<.main>/.exec(text)![0]

test('names who is signed in with this browser, and nobody else', async () => {
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

test('shows the address it was opened at, whatever stands in it, as text', async () => {
  const oauth = startOauth()
  const {text} = await oauth.send('GET', '/?a=<b>&return_to=//evil.example')
  expect(text).toContain(`export DRV_BASE_URL=${ORIGIN}<`)
  expect(text).not.toMatch(/evil|a=<b>/)
})
