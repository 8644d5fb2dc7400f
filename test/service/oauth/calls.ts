import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {Readable} from 'node:stream'
import {onTestFinished} from 'vitest'
import type {ServiceResponse} from '#lib/service/http/message.js'
import type {OauthCall} from '#lib/service/oauth/call.js'
import {handleOauth} from '#lib/service/oauth/routes.js'
import {openStore, type Store} from '#lib/service/store/index.js'

export {notesOf} from '../../support/page-notes.js'

export const ORIGIN = 'http://127.0.0.1:4000'

export interface OauthRequest {
  readonly form?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly remoteAddress?: string
}

/** The authorization service with a new data directory and a clock set by the test. */
export interface Oauth {
  readonly store: Store
  readonly clock: {now: number}
  /** Sends a request; the body of the response is text. */
  send(method: string, path: string, request?: OauthRequest): Promise<Sent>
  /** Sends a form to one of the endpoints and returns the response as JSON. */
  post(path: string, form: Readonly<Record<string, string>>): Promise<Sent>
}

export interface Sent {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The body as JSON. */
  readonly data: Record<string, unknown>
}

/** Opens a data directory that is deleted after the test. */
export function openTestStore(): Store {
  const directory = mkdtempSync(join(tmpdir(), 'drv-'))
  const store = openStore(directory)
  onTestFinished(() => {
    store.close()
    rmSync(directory, {recursive: true, force: true})
  })
  return store
}

export function startOauth(
  store = openTestStore(),
  options: Pick<OauthCall, 'namesIssuer' | 'approval'> = {},
): Oauth {
  const clock = {now: Date.UTC(2026, 10, 21, 9, 30)}
  const send: Oauth['send'] = async (method, path, request = {}) => {
    const {form, json, body, headers = {}, remoteAddress = '127.0.0.1'} = request
    const type = form
      ? 'application/x-www-form-urlencoded'
      : json === undefined
        ? undefined
        : 'application/json'
    const text = form
      ? new URLSearchParams(form).toString()
      : json === undefined
        ? (body ?? '')
        : JSON.stringify(json)
    const sent = {
      method,
      url: new URL(path, ORIGIN),
      headers: {...(type && {'content-type': type}), ...headers},
      body: Readable.from(text === '' ? [] : [Buffer.from(text)]),
      remoteAddress,
    }
    const response = await handleOauth({request: sent, store, now: clock.now, ...options})
    if (!response) throw new Error(`${path} is none of the authorization service's paths.`)
    return read(response)
  }
  return {
    store,
    clock,
    send,
    post: (path, form) => send('POST', path, {form, headers: {accept: 'application/json'}}),
  }
}

function read({status, headers = {}, body}: ServiceResponse): Sent {
  const text = typeof body === 'string' ? body : ''
  return {
    status,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
    ),
    text,
    get data() {
      return JSON.parse(text) as Record<string, unknown>
    },
  }
}

/** A browser for forms: keeps its cookie, and sends hidden fields. */
export function startBrowser(oauth: Oauth) {
  let cookie: string | undefined
  let page: Sent | undefined
  const visit = async (method: string, path: string, form?: Record<string, string>) => {
    page = await oauth.send(method, path, {
      form,
      headers: {...(cookie && {cookie}), ...(form && {origin: ORIGIN})},
    })
    cookie = page.headers['set-cookie']?.split(';')[0] ?? cookie
    return page
  }
  const open = (path: string) => visit('GET', path)
  const submit = (path: string, fields: Record<string, string>) =>
    visit('POST', path, {...hiddenFields(page?.text ?? ''), ...fields})
  return {
    open,
    submit,
    /** Signs in to an account, in addition to earlier ones. */
    async signIn(account: string) {
      await open('/login')
      return submit('/login', {account})
    },
  }
}

/** The hidden fields of the form on a page. */
export function hiddenFields(text: string): Record<string, string> {
  const fields = text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)
  return Object.fromEntries([...fields].map(([, name, value]) => [name!, unescape(value!)]))
}

function unescape(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
}

/** Authorizes a user code on the page of the device flow. */
export async function decide(
  oauth: Oauth,
  userCode: string,
  decision: 'authorize' | 'cancel' = 'authorize',
  account?: string,
): Promise<Sent> {
  const browser = startBrowser(oauth)
  if (account !== undefined) await browser.signIn(account)
  await browser.open('/login/device')
  await browser.submit('/login/device', {user_code: userCode})
  return browser.submit('/login/device', {
    user_code: userCode,
    decision,
    ...(account !== undefined && {account}),
  })
}
