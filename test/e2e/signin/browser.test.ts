import type {ChildProcess} from 'node:child_process'
import {once} from 'node:events'
import {createInterface} from 'node:readline'
import type {Browser, Page} from 'playwright-core'
import {afterAll, beforeAll, beforeEach, describe, expect, test as anyTest} from 'vitest'
import {createService, type Service} from '#lib/service/index.js'
import {createUser, ensureUser} from '#lib/service/store/users.js'
import {launchBrowser, missingBrowser, openTab} from '../../support/chromium.js'
import {
  freshEnvironment,
  type Result,
  runDrv,
  startDrv,
  temporaryFolder,
} from '../../support/drv.js'

/** The pages of the service in a real browser, and the command that waits for them. */

type Event = Readonly<Record<string, any>>

interface Login {
  /** The next message. */
  next(): Promise<Event>
  readonly ended: Promise<number | null>
}

/** A service and a home directory per test, so that tests can run concurrently. */
interface Place {
  readonly service: Service
  /** The offset of the service's clock, in ms. */
  readonly clock: {ahead: number}
  readonly env: Record<string, string>
  drv(...args: string[]): Promise<Result>
  /** Starts `drv auth login`; returns its events one by one, and its end. */
  startLogin(...flags: string[]): Login
}

const test = anyTest.extend<{place: Place}>({
  place: async ({}, use) => {
    const {path, remove} = temporaryFolder()
    const clock = {ahead: 0}
    const data = `${path}/service`
    const service = await createService({
      data,
      clock: () => Date.now() + clock.ahead,
      pollInterval: 1,
    })
    const env = {...freshEnvironment(path), DRV_BASE_URL: service.url, DRV_AUTH_URL: service.url}
    const children: ChildProcess[] = []
    await use({
      service,
      clock,
      env,
      drv: (...args) => runDrv(args, {env}),
      startLogin(...flags) {
        const child = startDrv(['auth', 'login', '--insecure-storage', '--json', ...flags], {env})
        children.push(child)
        const lines = createInterface({input: child.stdout})[Symbol.asyncIterator]()
        const ended = once(child, 'close').then(([code]) => code as number | null)
        return {
          async next() {
            const {value, done} = await lines.next()
            if (done) throw new Error(`drv ended with ${await ended} and said no more.`)
            return JSON.parse(value) as Event
          },
          ended,
        }
      },
    })
    for (const child of children) child.kill()
    await service.close()
    remove()
  },
})

let browser: Browser
beforeAll(async () => {
  // The usual reporter does not show why a test is skipped.
  if (missingBrowser) process.stderr.write(`Pages are not tested. ${missingBrowser}\n`)
  else browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
})
beforeEach(({skip}) => skip(missingBrowser !== undefined, missingBrowser))

async function enterCode(page: Page, code: string): Promise<void> {
  await page.getByLabel('Code', {exact: true}).fill(code)
  await page.getByRole('button', {name: 'Continue'}).click()
}

const press = (page: Page, name: string) => page.getByRole('button', {name, exact: true}).click()
const heading = (page: Page) => page.getByRole('heading', {level: 1}).textContent()

// Each test waits for the five seconds between two polls of the device flow.
describe.concurrent('a device code leads', () => {
  test('to a signed-in command line, with a wrong code on the way', async ({
    place: {drv, startLogin},
  }) => {
    const login = startLogin('--scope', 'drive.readonly')
    const {verification_uri, user_code} = await login.next()
    const {page, complaints} = await openTab(browser)
    await page.goto(verification_uri)
    await enterCode(page, 'ZZZZ-ZZZZ')
    expect(await page.getByRole('alert').isVisible()).toBe(true)
    await enterCode(page, ` ${user_code.toLowerCase().replace('-', ' ')}`)
    expect(await heading(page)).toBe('Authorize drv?')
    expect(await page.locator('.scopes').innerText()).toContain('drive.readonly')
    await press(page, 'Authorize')
    expect(await heading(page)).toBe('Your device is connected')
    expect(await login.next()).toMatchObject({event: 'authorized', user: {login: 'local'}})
    expect(await login.ended).toBe(0)
    expect((await drv('about', 'get', '--json')).json().user.emailAddress).toBe('local@example.com')
    expect(complaints).toEqual([])

    // The user can review and revoke the access.
    await page.getByRole('link', {name: /Review or revoke/}).click()
    expect(await heading(page)).toBe('drv’s access')
    await press(page, 'Revoke drv’s access')
    expect(await page.getByRole('status').isVisible()).toBe(true)
    const refused = await drv('about', 'get')
    expect(refused.code).toBe(4)
    expect(complaints).toEqual([])
  })

  test('to another account, chosen at sign-in', async ({place: {service, startLogin}}) => {
    const {store} = service
    createUser(store, {login: 'ada', name: 'Ada Lovelace'}, Date.now())
    const login = startLogin()
    const {verification_uri, user_code} = await login.next()
    const {page} = await openTab(browser)
    await page.goto(`${verification_uri}?user_code=${user_code}`)
    expect(await heading(page)).toBe('Sign in')
    await page.getByRole('button', {name: /Ada Lovelace/}).click()
    expect(await page.getByLabel('Code', {exact: true}).inputValue()).toBe(user_code)
    await press(page, 'Continue')
    await press(page, 'Authorize')
    expect(await login.next()).toMatchObject({event: 'authorized', user: {login: 'ada'}})
    expect(await login.ended).toBe(0)
  })

  test('to no sign-in when it is canceled', async ({place: {drv, startLogin}}) => {
    const login = startLogin()
    const {verification_uri, user_code} = await login.next()
    const {page} = await openTab(browser)
    await page.goto(verification_uri)
    await enterCode(page, user_code)
    await press(page, 'Cancel')
    expect(await heading(page)).toBe('Access denied')
    expect(await login.next()).toMatchObject({event: 'failed', error: 'access_denied'})
    expect(await login.ended).toBe(4)
    expect((await drv('auth', 'token')).code).toBe(4)
  })

  test('to no sign-in when it has expired', async ({place: {clock, startLogin}}) => {
    const login = startLogin()
    const {verification_uri, user_code, expires_in} = await login.next()
    const {page} = await openTab(browser)
    await page.goto(verification_uri)
    clock.ahead += expires_in * 1000
    await enterCode(page, user_code)
    expect(await page.getByRole('alert').isVisible()).toBe(true)
    expect(await login.next()).toMatchObject({event: 'failed', error: 'expired_token'})
    expect(await login.ended).toBe(4)
  })
})

describe('--web leads', () => {
  test('to a signed-in command line', async ({place: {drv, startLogin}}) => {
    const login = startLogin('--web', '--scope', 'drive.file')
    const {authorization_uri} = await login.next()
    const {page, complaints} = await openTab(browser)
    await page.goto(authorization_uri)
    expect(await heading(page)).toBe('Authorize drv?')
    await press(page, 'Authorize')
    expect(await login.next()).toMatchObject({event: 'authorized', user: {login: 'local'}})
    expect(await login.ended).toBe(0)
    expect(new URL(page.url()).pathname).toBe('/callback')
    expect(await page.locator('body').textContent()).toMatch(/signed in/i)
    expect((await drv('about', 'get', '--json')).json().user.emailAddress).toBe('local@example.com')
    expect(complaints).toEqual([])
  })

  test('to the chosen account, also after signing in on the way', async ({
    place: {service, startLogin},
  }) => {
    for (const name of ['ada', 'bert']) ensureUser(service.store, name, Date.now())
    const {page, complaints} = await openTab(browser)
    await page.goto(`${service.url}/login`)
    await page.getByRole('button', {name: /bert/}).click()
    const login = startLogin('--web', '--login', 'ada')
    await page.goto((await login.next()).authorization_uri)
    expect(await heading(page)).toBe('Sign in')
    await page.getByRole('button', {name: /ada/}).click()
    expect(await heading(page)).toBe('Choose an account')
    await page.getByRole('button', {name: /ada/}).click()
    await press(page, 'Authorize')
    expect(await login.next()).toMatchObject({event: 'authorized', user: {login: 'ada'}})
    expect(await login.ended).toBe(0)

    // The app already has this access, so the browser is redirected right after the picker.
    const again = startLogin('--web', '--force', '--prompt', 'select_account')
    await page.goto((await again.next()).authorization_uri)
    expect(await heading(page)).toBe('Choose an account')
    await page.getByRole('button', {name: /ada/}).click()
    expect(await again.next()).toMatchObject({event: 'authorized', user: {login: 'ada'}})
    expect(complaints).toEqual([])
  })

  test('to no sign-in when it is canceled', async ({place: {drv, startLogin}}) => {
    const login = startLogin('--web')
    const {page} = await openTab(browser)
    await page.goto((await login.next()).authorization_uri)
    await press(page, 'Cancel')
    expect(await login.next()).toMatchObject({event: 'failed', error: 'access_denied'})
    expect(await login.ended).toBe(4)
    expect((await drv('auth', 'token')).code).toBe(4)
  })

  test('to no sign-in when another program responds', async ({place: {drv, startLogin}}) => {
    const login = startLogin('--web')
    const {authorization_uri} = await login.next()
    const {page} = await openTab(browser)
    const forged = new URL(new URL(authorization_uri).searchParams.get('redirect_uri')!)
    forged.search = new URLSearchParams({code: 'f'.repeat(20), state: 'x'}).toString()
    await page.goto(forged.href)
    expect(await login.next()).toMatchObject({event: 'failed', error: 'state_mismatch'})
    expect(await login.ended).not.toBe(0)
    expect(await page.locator('body').textContent()).not.toMatch(/you are signed in/i)
    expect((await drv('auth', 'token')).code).toBe(4)
  })
})

test('a personal token is created, works, is limited to its scopes, and is revoked', async ({
  place: {service, env},
}) => {
  const {page, complaints} = await openTab(browser)
  await page.goto(`${service.url}/settings/tokens`)
  await page.getByRole('link', {name: 'New fine-grained token'}).click()
  await page.getByLabel('Name', {exact: true}).fill('nightly backup')
  await page.getByLabel('Expiration').selectOption('7')
  await page.getByLabel(/^files/).selectOption('read')
  await press(page, 'Create token')
  const token = await page.getByLabel(/Your new token/).inputValue()
  expect(token).toMatch(/^drvf_/)
  const withToken = (...args: string[]) => runDrv(args, {env: {...env, DRV_TOKEN: token}})
  expect((await withToken('files', 'list', '--json')).code).toBe(0)
  expect((await withToken('files', 'insert', '--title', 'x')).code).toBe(6)
  await page.goto(`${service.url}/settings/tokens`)
  expect(await page.locator('main').textContent()).toContain('nightly backup')
  expect(await page.content()).not.toContain(token)
  await press(page, 'Revoke')
  expect(await page.getByRole('status').innerText()).toRead()
  expect((await withToken('files', 'list')).code).toBe(4)
  expect(complaints).toEqual([])
})

test.for([390, 1280])(
  'at %i pixels a new token is fully visible, and the link to create one is above the list',
  async (width, {place: {service}}) => {
    const {page} = await openTab(browser, {
      javaScriptEnabled: true,
      viewport: {width, height: 800},
    })
    const newToken = page.getByRole('link', {name: /^New .*token$/})
    for (const note of ['first', 'second']) {
      await page.goto(`${service.url}/settings/tokens`)
      await newToken.filter({hasText: 'classic'}).click()
      await page.getByLabel('Name', {exact: true}).fill(note)
      await press(page, 'Create token')
    }
    const secret = page.getByLabel(/Your new token/)
    const token = await secret.inputValue()
    const hidden = await secret.evaluate((field: any) => [
      field.scrollWidth - field.clientWidth,
      field.scrollHeight - field.clientHeight,
    ])
    expect(hidden).toEqual([0, 0])
    expect(token).toMatch(/^drvp_\w{36}$/)

    const list = (await page.getByRole('list').boundingBox())!
    const buttons = await newToken.all()
    expect(buttons).toHaveLength(2)
    for (const button of buttons) {
      const box = (await button.boundingBox())!
      expect(box.y + box.height).toBeLessThanOrEqual(list.y)
      // One line of text.
      expect(box.height).toBeLessThan(60)
    }
  },
)
