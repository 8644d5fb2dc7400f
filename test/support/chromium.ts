import {existsSync} from 'node:fs'
import {type Browser, type BrowserContextOptions, chromium, type Page} from 'playwright-core'

/** A real browser of the system. It runs no scripts, because the pages of the service work without them. */

const PLACES = [
  process.env.DRV_TEST_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

const executablePath = PLACES.find(place => place !== undefined && existsSync(place))

/** Why the tests cannot use a browser on this machine; `undefined` if they can. */
export const missingBrowser =
  executablePath === undefined
    ? 'There is no Chromium here: install it, or name it in DRV_TEST_CHROMIUM.'
    : undefined

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

/** A tab without cookies. `complaints` collects the errors of its console. */
export async function openTab(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<{page: Page; complaints: string[]}> {
  const context = await browser.newContext({javaScriptEnabled: false, ...options})
  context.setDefaultTimeout(10_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', message => {
    // The status of a refusal is not an error of the page.
    const isStatus = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isStatus) complaints.push(message.text())
  })
  return {page, complaints}
}
