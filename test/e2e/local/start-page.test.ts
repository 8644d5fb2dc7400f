import {beforeEach, expect, onTestFinished, test} from 'vitest'
import {createService} from '#lib/service/index.js'
import {launchBrowser, missingBrowser, openTab} from '../../support/chromium.js'
import {temporaryFolder} from '../../support/drv.js'

/** The start page of `drv local serve`, opened in a real browser. */

beforeEach(({skip}) => skip(missingBrowser !== undefined, missingBrowser))

test('leads from the first page to a token, and back after sign-in', async () => {
  const {path, remove} = temporaryFolder()
  onTestFinished(remove)
  const service = await createService({data: path})
  onTestFinished(() => service.close())
  const browser = await launchBrowser()
  onTestFinished(() => browser.close())
  const {page, complaints} = await openTab(browser, {viewport: {width: 360, height: 640}})
  await page.goto(service.url)
  await page.getByText('signed in as local.').waitFor()
  // Nothing is wider than a phone.
  const widths = await page.locator('html').evaluate(root => [root.scrollWidth, root.clientWidth])
  expect(widths[0]).toBe(widths[1])
  await page.getByRole('link', {name: 'Switch account'}).click()
  await page.getByLabel('New account').fill('ada')
  await page.getByRole('button', {name: 'Create account'}).click()
  await page.waitForURL(`${service.url}/`)
  await page.getByText('signed in as ada.').waitFor()
  await page.getByRole('link', {name: 'Tokens', exact: true}).click()
  await page.getByRole('heading', {name: 'Personal access tokens'}).waitFor()
  expect(complaints).toEqual([])
})
