import type {Browser, Page} from 'playwright-core'
import {afterAll, beforeAll, beforeEach, expect, onTestFinished, test} from 'vitest'
import {callbackPage} from '#lib/auth/flows/callback.js'
import {STANDARD_PATHS} from '#lib/service/oauth/endpoints/metadata.js'
import {requestDeviceCodes} from '#lib/service/oauth/flows/device-flow.js'
import {appById, createApp} from '#lib/service/oauth/store/apps.js'
import {countAttempt} from '#lib/service/oauth/store/attempts.js'
import {createOrganization} from '#lib/service/oauth/store/organizations.js'
import {ensureUser} from '#lib/service/store/users.js'
import {launchBrowser, missingBrowser, openTab} from '../../support/chromium.js'
import {startTestService, type TestService} from '../harness.js'

/** Every page of the local service in a real browser: its visible text, and whether it fits wide and narrow windows. */

const WIDE = 1100
const NARROW = 340

/** A browser with one tab and the service it visits. */
interface Visitor extends TestService {
  readonly page: Page
  /** Checks that the current page fits wide and narrow windows. */
  fits(): Promise<void>
  /** Compares the visible text of the current page, which must fit. */
  read(): Promise<void>
  /** Opens a page without reading it. */
  go(path: string): Promise<void>
  /** Opens a page and reads it. */
  open(path: string): Promise<void>
  /** Presses a button and reads the page that follows. */
  press(name: string | RegExp): Promise<void>
  /** Presses a button and reads the problem that the form then shows. */
  pressInVain(name: string | RegExp): Promise<void>
  /** Changes the values of fields and buttons, also hidden ones, as a faulty or hostile page would. */
  tamper(fields: Readonly<Record<string, string>>): Promise<void>
  /** The app of the tests. */
  readonly clientId: string
  /** Requests a device code of the app, and returns the user code. */
  newCode(): string
}

let browser: Browser
beforeAll(async () => {
  if (!missingBrowser) browser = await launchBrowser()
})
afterAll(() => browser?.close())
beforeEach(({skip}) => skip(missingBrowser !== undefined, missingBrowser))

/** The visible text, with what fields show before they are filled in. */
const VISIBLE_TEXT = `[
  document.body.innerText,
  ...[...document.querySelectorAll('[placeholder]')].map(it => '[' + it.placeholder + ']'),
].join('\\n')`
const FIRST_GROUP_ONLY = `for (const it of document.querySelectorAll('h2 ~ h2, h2 ~ h2 ~ dl')) it.remove()`
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
const TAMPER = `fields => {
  for (const form of document.forms) {
    form.noValidate = true
    for (const [name, value] of Object.entries(fields)) {
      const known = [...form.elements].filter(it => it.name === name)
      if (known.length === 0) known.push(form.appendChild(document.createElement('textarea')))
      for (const field of known) {
        if (field.tagName === 'SELECT') field.add(new Option(value, value, true, true))
        Object.assign(field, {name, value})
      }
    }
  }
}`

/** Starts a service with the account `local` and others, and opens a tab. */
async function startVisit(options: {isOwned?: boolean; logins?: string[]} = {}): Promise<Visitor> {
  const {logins = [], isOwned = false} = options
  const service = await startTestService({isOwned})
  onTestFinished(() => service.close())
  const {store, clock} = service
  for (const login of logins) ensureUser(store, login, clock.now)
  const {clientId} = createApp(
    store,
    {
      name: 'Photographers’ Nightly Backup and Synchronization',
      callbackUrl: 'http://127.0.0.1:9/callback',
      homeUrl: 'https://app.example',
      deviceFlow: true,
    },
    clock.now,
  )
  const {page, complaints} = await openTab(browser, {
    javaScriptEnabled: true,
    viewport: {width: WIDE, height: 800},
    colorScheme: isOwned ? 'dark' : 'light',
  })
  onTestFinished(async () => {
    expect(complaints).toEqual([])
    await page.context().close()
  })
  let status = 0
  page.on('response', response => {
    if (response.request().isNavigationRequest()) status = response.status()
  })
  const go = async (path: string) => void (await page.goto(new URL(path, service.url).href))
  const fits = async () => {
    for (const width of [NARROW, WIDE]) {
      await page.setViewportSize({width, height: 800})
      expect(await page.evaluate(OVERFLOW), `${page.url()} at ${width}`).toBe(0)
    }
  }
  /** Compares the text of the current page, and checks its width. */
  const read = async (text: string) => {
    await fits()
    const {pathname} = new URL(page.url())
    const shown = `${status} ${pathname}\n\n${text.replaceAll(/[ \t]+$/gm, '')}`
      .replaceAll(/\n{3,}/g, '\n\n')
      .replaceAll(clientId, '$CLIENT')
      .replaceAll(/…\w{8}/g, '…$LAST')
    expect(shown).toRead()
  }
  const readAll = async () => read(String(await page.evaluate(VISIBLE_TEXT)))
  const click = async (name: string | RegExp) => {
    await page.getByRole('button', {name, exact: true}).first().click()
    await page.waitForLoadState()
  }
  return {
    ...service,
    page,
    clientId,
    go,
    fits,
    read: readAll,
    async open(path) {
      await go(path)
      await readAll()
    },
    async press(name) {
      await click(name)
      await readAll()
    },
    async pressInVain(name) {
      await click(name)
      await read(await page.getByRole('alert').innerText())
    },
    async tamper(fields) {
      await page.evaluate(`(${TAMPER})(${JSON.stringify(fields)})`)
    },
    newCode() {
      const app = appById(store, clientId)!
      return requestDeviceCodes(store, {app, scopes: ['drive.readonly']}, clock.now).user_code
    },
  }
}

const DEVICE = '/login/device'
const TOKENS = '/settings/tokens'

test('public pages', async () => {
  const {fits, go, open, page, read} = await startVisit({logins: ['ada']})
  await open('/')
  await go('/docs')
  await fits()
  // The summaries of all methods are in docs/commands.
  await page.evaluate(FIRST_GROUP_ONLY)
  await read()
  await open('/docs/oauth-errors')
  await open('/users/123')
  await open('/no/such/page')
})

test('the start page of a service with one account', async () => {
  const {open} = await startVisit()
  await open('/')
})

test('sign-in', async () => {
  const {go, open, pressInVain, press, page, tamper} = await startVisit({logins: ['ada', 'bert']})
  await open('/login?return_to=/&allow_signup=false')
  await tamper({new_account: 'cleo'})
  await pressInVain(/ada/)
  await open('/login?return_to=/&login=cleo')
  for (const login of ['-', 'bert']) {
    await page.getByLabel('New account').fill(login)
    await pressInVain('Create account')
  }
  await tamper({account: 'nobody'})
  await pressInVain(/ada/)
  await go('/login?return_to=/')
  await tamper({authenticity_token: 'x'})
  await pressInVain(/ada/)
  await press(/bert/)
})

test('a code of the device flow', async () => {
  const {go, open, pressInVain, press, page, newCode, tamper, clock, store} = await startVisit({
    logins: ['ada', 'bert'],
  })
  await go(`/login?return_to=${DEVICE}`)
  await press(/ada/)
  const enter = async (code: string, send = press) => {
    await page.getByLabel('Code', {exact: true}).fill(code)
    await send('Continue')
  }
  await enter('ZZZZ-ZZZZ')
  const code = newCode()
  await enter(code)
  await tamper({account: 'nobody'})
  await pressInVain('Authorize')
  await tamper({decision: 'later'})
  await pressInVain('Authorize')
  await press('Authorize')
  await go(DEVICE)
  await enter(code, pressInVain)
  await enter(newCode())
  await press('Cancel')
  await go(DEVICE)
  const late = newCode()
  clock.now += 16 * 60 * 1000
  await enter(late, pressInVain)
  await go(`/login?return_to=${DEVICE}`)
  await page.getByRole('button', {name: /bert/}).click()
  await enter(newCode())
  for (let n = 0; n < 50; n++) countAttempt(store, 'code-address:127.0.0.1', clock.now)
  await open(`${DEVICE}?user_code=ZZZZ-ZZZZ`)
  await press('Continue')
})

test('authorization in the web flow', async () => {
  const visitor = await startVisit({logins: ['ada', 'bert']})
  const {go, open, pressInVain, page, store, clock, clientId, tamper, token} = visitor
  const authorize = `/login/oauth/authorize?client_id=${clientId}`
  await open(`${authorize}&scope=drive.readonly%20drive.file&login=bert`)
  await page.getByRole('button', {name: /bert/}).click()
  await open(authorize)
  await open(`${authorize}&prompt=select_account`)
  await open(`${authorize}&scope=drive.readonly%20drive.file`)
  await tamper({decision: 'later'})
  await pressInVain('Authorize')
  await go(`${authorize}&scope=drive.readonly`)
  await tamper({account: 'nobody'})
  await pressInVain('Authorize')
  for (let n = 0; n < 10; n++) token('bert', ['drive.readonly'], clientId)
  await open(`${authorize}&scope=drive.readonly`)
  await open('/login/oauth/authorize?client_id=none')
  const {clientId: other} = createApp(store, {name: 'Sync'}, clock.now)
  await open(`/login/oauth/authorize?client_id=${other}`)
  await open(
    `${STANDARD_PATHS.authorize}?client_id=${clientId}&redirect_uri=https://other.example/`,
  )
})

test('personal access tokens', async () => {
  const {go, open, pressInVain, press, page, tamper} = await startVisit()
  const name = page.getByLabel('Name', {exact: true})
  await open(TOKENS)
  await open(`${TOKENS}/new?kind=classic`)
  await open(`${TOKENS}/new?kind=fine`)
  await name.fill('nightly backup')
  await page.getByLabel(/^files/).selectOption('read')
  await press('Create token')
  await go(`${TOKENS}/new?kind=fine`)
  await name.fill('nightly backup')
  await pressInVain('Create token')
  const invalid: ReadonlyArray<Readonly<Record<string, string>>> = [
    {note: ''},
    {note: 'n'.repeat(101)},
    {note: 'n', days: 'none'},
    {note: 'n', days: '0'},
    {note: 'n', 'permission:files': 'all'},
    {note: 'n', kind: 'other'},
    {note: 'n', kind: 'classic', scope: 'nonsense'},
  ]
  for (const fields of invalid) {
    await go(`${TOKENS}/new?kind=fine`)
    await tamper(fields)
    await pressInVain('Create token')
  }
  await go(`${TOKENS}/new?kind=classic`)
  await name.fill('laptop')
  await page.getByLabel('Expiration').selectOption('none')
  await press('Create token')
  await go(TOKENS)
  await tamper({id: '999'})
  await pressInVain('Revoke')
  await tamper({action: 'burn'})
  await pressInVain('Revoke')
  await press('Revoke')
})

test('single sign-on of an organization', async () => {
  const {go, open, pressInVain, press, page, store, clock, json, token, tamper} = await startVisit()
  const created = await json('POST', 'drives', {
    token: token('local', ['drive'], 'sync'),
    query: {requestId: '1'},
    body: {name: 'Plans'},
  })
  const driveId: string = created.body.id
  createOrganization(store, {name: 'Acme', sso: true, drives: [driveId]}, clock.now)
  await open(`${TOKENS}/new?kind=fine`)
  await open(`${TOKENS}/new?kind=classic`)
  await page.getByLabel('Name', {exact: true}).fill('backup')
  await page.locator('[name="scope:drive"]').check()
  await press('Create token')
  const secret = await page.getByLabel(/Your new token/).inputValue()
  const refused = await json('GET', `drives/${driveId}`, {token: secret})
  const address = refused.headers.get('x-service-sso')!.split('url=')[1]!
  await press('Authorize for Acme')
  await open('/orgs/nobody/sso')
  await open('/orgs/Acme/sso?authorization_request=x')
  const {pathname, search} = new URL(address)
  await open(pathname + search)
  await press('Authorize')
  await go(pathname + search)
  await tamper({authenticity_token: 'x'})
  await pressInVain('Authorize')
})

test('apps with access to the account', async () => {
  const {open, pressInVain, press, tamper, clientId, token, clock} = await startVisit()
  await open('/settings/applications')
  token('local', ['drive.readonly'], clientId)
  clock.now += 24 * 60 * 60 * 1000
  token('local', ['drive.file'], clientId)
  await open('/settings/applications')
  await open(`/settings/connections/applications/${clientId}`)
  await tamper({account: 'nobody'})
  await pressInVain(/^Revoke .*access$/)
  await press(/^Revoke .*access$/)
  await open('/settings/connections/applications/none')
})

test('a service that runs for one command', async () => {
  const {go, open, press, page, newCode, owner} = await startVisit({isOwned: true})
  await open(DEVICE)
  await go(owner!.page(new URL(DEVICE, page.url()).href))
  await page.getByLabel('Code', {exact: true}).fill(newCode())
  await press('Continue')
  await press('Authorize')
  await open(TOKENS)
})

test('the callback of drv', async () => {
  const {page} = await openTab(browser, {javaScriptEnabled: true})
  onTestFinished(() => page.context().close())
  for (const problem of [undefined, 'The user has denied your application access.']) {
    await page.setContent(callbackPage(problem))
    expect(await page.evaluate(VISIBLE_TEXT)).toRead()
  }
})
