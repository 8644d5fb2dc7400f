import {once} from 'node:events'
import {createServer, type Server} from 'node:http'
import type {AddressInfo} from 'node:net'
import type {Browser, Page} from 'playwright-core'
import {afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test} from 'vitest'
import {launchBrowser, missingBrowser, openTab} from '../../support/chromium.js'
import {startTestService, type TestService} from '../harness.js'
import {addFolder, addItem, pdfWith} from './window-files.js'

/**
 * Whether names, types and contents can run in the pages that show them, leave these pages, or change
 * their look, in a real browser. A payload that works requests `/hit`, here or on another server.
 */

let browser: Browser
let service: TestService
let stranger: Server
let elsewhere: string
const strangerRequests: string[] = []
beforeAll(async () => {
  if (missingBrowser) return
  browser = await launchBrowser()
  service = await startTestService()
  stranger = createServer((request, response) => {
    strangerRequests.push(`${request.url} of another server`)
    response.end()
  }).listen(0, '127.0.0.1')
  await once(stranger, 'listening')
  elsewhere = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}/hit`
})
afterAll(async () => {
  await browser?.close()
  await service?.close()
  stranger?.close()
})
beforeEach(({skip}) => skip(missingBrowser !== undefined, missingBrowser))

const JS = `location='/hit'`

/** Names, descriptions and properties. */
const TEXTS = [
  `<script>${JS}</script>`,
  `</title><script>${JS}</script>`,
  `</bdi></a></td></tr></table></main><script>${JS}</script>`,
  `"><img src=/hit onerror="${JS}">`,
  `' onmouseover='${JS}' autofocus onfocus='${JS}`,
  `<svg onload="${JS}">`,
  `<svg><animate onbegin="${JS}" attributeName=x dur=1s>`,
  `<iframe src="/hit"></iframe>`,
  `<iframe srcdoc="<script>parent.${JS}</script>">`,
  `<object data="/hit"></object><embed src="/hit">`,
  `<link rel="stylesheet" href="/hit">`,
  `<style>* { display: none !important } body { background: url(/hit) }</style>`,
  `</style><style>body { visibility: hidden }`,
  `<meta http-equiv="refresh" content="0; url=/hit">`,
  `<base href="${'http://127.0.0.1:9/'}">`,
  `<form action="/hit"><button autofocus>Sign in</button></form>`,
  `<body onload="${JS}" style="display:none">`,
  `<details open ontoggle="${JS}">`,
  `<video src="/hit" onerror="${JS}" autoplay>`,
  `<input autofocus onfocus="${JS}">`,
  `<math><mtext><table><mglyph><style><img src=x onerror="${JS}">`,
  `<noscript><p title="</noscript><img src=x onerror=${JS}>">`,
  `<!--><img src=/hit onerror="${JS}">-->`,
  `<textarea><script>${JS}</script>`,
  `javascript:${JS}`,
  `data:text/html,<script>${JS}</script>`,
  `\${alert(1)}{{constructor.constructor('${JS}')()}}`,
  `%3Cscript%3E${JS}%3C/script%3E`,
  `&lt;script&gt;${JS}&lt;/script&gt;&#60;img src=/hit&#62;`,
  `\u202Egnp.exe \u2066\u2067 reversed`,
  `line\nbreak\r\n\ttab\u2028separator`,
  `\u0000\u0008\u001B[31mcontrols`,
  `Z${'\u0351\u0352\u0353'.repeat(80)}algo`,
  'w'.repeat(3000),
  `${' '.repeat(200)}spaces`,
  '\u{1F469}\u200D\u{1F469}\u200D\u{1F466}'.repeat(60),
  '\u3164',
  '\uD800 lone surrogate',
]

/** Media types. */
const TYPES = [
  'text/html',
  'application/xhtml+xml',
  'image/svg+xml',
  'text/xml',
  'application/javascript',
  'text/css',
  'message/rfc822',
  'multipart/related',
  'application/x-mimearchive',
  'application/x-shockwave-flash',
  'text/x-"><script>location=1</script>',
  `x/${'y'.repeat(200)}`,
]

/** Contents by media type. */
const CONTENTS: ReadonlyArray<readonly [type: string, content: () => string]> = [
  ['text/html', () => `<script>top.${JS};${JS}</script><img src="${elsewhere}">`],
  ['text/html', () => `<meta http-equiv=refresh content="0;url=${elsewhere}">`],
  ['text/html', () => `<form id=f action="${elsewhere}"></form><script>f.submit()</script>`],
  [
    'application/xhtml+xml',
    () => `<html xmlns="http://www.w3.org/1999/xhtml"><script>${JS}</script></html>`,
  ],
  [
    'image/svg+xml',
    () =>
      `<svg xmlns="http://www.w3.org/2000/svg" onload="${JS}"><script>top.${JS}</script><image href="${elsewhere}"/></svg>`,
  ],
  [
    'image/svg+xml',
    () =>
      `<svg xmlns="http://www.w3.org/2000/svg"><foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="${elsewhere}"/></foreignObject></svg>`,
  ],
  [
    'image/svg+xml',
    () => `<?xml-stylesheet href="${elsewhere}"?><svg xmlns="http://www.w3.org/2000/svg"/>`,
  ],
  ['text/xml', () => `<?xml-stylesheet type="text/xsl" href="${elsewhere}"?><a/>`],
  ['image/png', () => `<script>${JS}</script>`],
  ['image/gif', () => `GIF89a/*<script>${JS}</script>*/=1`],
  ['text/plain', () => `</pre><script>${JS}</script><img src=/hit>`],
  ['text/plain', () => `\u202Eright to left \u001B[2J ${'x'.repeat(5000)}`],
  ['application/javascript', () => JS],
  ['text/css', () => `@import "${elsewhere}"; * { display: none }`],
  [
    'application/pdf',
    () =>
      pdfWith(`<< /S /JavaScript /JS (app.alert\\(1\\);this.submitForm\\("${elsewhere}"\\)) >>`),
  ],
  ['application/pdf', () => pdfWith(`<< /S /URI /URI (${elsewhere}) >>`)],
  ['application/pdf', () => `<script>${JS}</script>`],
  ['application/x-shockwave-flash', () => 'FWS'],
]

/** A tab, and what payloads did in it, as far as it left the browser. */
async function watchedTab(): Promise<{page: Page; incidents: () => string[]}> {
  const {page} = await openTab(browser, {
    javaScriptEnabled: true,
    viewport: {width: 390, height: 800},
  })
  onTestFinished(() => page.context().close())
  const seen: string[] = []
  page.on('dialog', dialog => {
    seen.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.context().on('page', other => seen.push(`window ${other.url()}`))
  const incidents = () => {
    const hits = service.requestLog.entries().filter(({path}) => path === '/hit')
    return [...seen, ...hits.map(({path}) => path), ...strangerRequests]
  }
  return {page, incidents}
}

/** What the frame around a page looks like: menu, search, footer, and its width. */
const LOOK = `(() => {
  const box = name => {
    const {x, y, width, height} = document.querySelector(name).getBoundingClientRect()
    return [name, x, name === 'footer' ? 0 : y, width, height]
  }
  const count = name => [name, document.querySelectorAll(name).length]
  return JSON.stringify([
    ...['.bar', '.bar nav', '.bar form', 'body > footer'].map(box).map(it => it[0] === 'body > footer' ? [it[0], it[1], it[3]] : it),
    ...['script', 'style', 'object', 'embed', 'meta', 'base', 'link', 'h1', 'form', 'main'].map(count),
    document.documentElement.scrollWidth - document.documentElement.clientWidth,
    getComputedStyle(document.body).backgroundColor,
  ])
})()`

describe('nothing runs, leaves the page or changes its look:', () => {
  test(`${TEXTS.length} names, descriptions and properties`, async () => {
    const {page, incidents} = await watchedTab()
    const {id: folder} = await addFolder(service, 'Texts')
    const harmless = await addItem(service, {title: 'a', content: 'x', parents: [{id: folder}]})
    const open = async (path: string) => {
      await page.goto(service.url + path)
      return String(await page.evaluate(LOOK))
    }
    const look = await open(`/open/${harmless.id}`)
    const listLook = await open(`/open/${folder}`)
    for (const [at, text] of TEXTS.entries()) {
      const {id, error} = await addItem(service, {
        title: text,
        description: text,
        content: text,
        properties: [{key: `key${at}`, value: text.slice(0, 60), visibility: 'PUBLIC'}],
        parents: [{id: folder}],
      })
      if (error) {
        // The service itself refuses control characters in names.
        expect(error.code).toBe(400)
        continue
      }
      expect([text, await open(`/open/${id}`)]).toEqual([text, look])
      expect(await page.getByRole('heading', {level: 1}).innerText()).not.toBe('')
    }
    expect(await open(`/open/${folder}`)).toBe(listLook)
    const entries = await page
      .locator('a.entry')
      .evaluateAll(all => all.map(it => (it as unknown as {offsetHeight: number}).offsetHeight))
    expect(entries.length).toBeGreaterThan(TEXTS.length - 3)
    for (const height of entries) expect(height).toBeLessThan(100)
    await open(`/search?q=${encodeURIComponent(TEXTS[3]!)}`)
    expect(incidents()).toEqual([])
  })

  test(`${TYPES.length} media types and ${CONTENTS.length} contents`, async () => {
    const {page, incidents} = await watchedTab()
    const look = async (path: string) => {
      await page.goto(service.url + path)
      return String(await page.evaluate(LOOK))
    }
    const plain = await addItem(service, {title: 'a', content: 'x', mimeType: 'text/plain'})
    const expected = await look(`/open/${plain.id}`)
    const files = [
      ...TYPES.map(type => [type, `<script>${JS}</script>`] as const),
      ...CONTENTS.map(([type, content]) => [type, content()] as const),
    ]
    for (const [mimeType, content] of files) {
      const {id, error} = await addItem(service, {title: 'a', mimeType, content})
      // The service itself refuses types that are not valid.
      if (error) {
        expect(error.code).toBe(400)
        continue
      }
      expect([mimeType, await look(`/open/${id}`)]).toEqual([mimeType, expected])
      if (mimeType === 'application/pdf') continue
      // A download does not navigate.
      await page.goto(`${service.url}/open/${id}/content`).catch(() => undefined)
      if (mimeType.startsWith('image/')) await page.goto(`${service.url}/open/${id}/preview`)
    }
    expect(incidents()).toEqual([])
  })
})
