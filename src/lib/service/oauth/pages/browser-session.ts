import type {ServiceRequest} from '#lib/service/http/message.js'
import type {OauthCall} from '#lib/service/oauth/call.js'
import {
  addBrowserAccount,
  browserAccounts,
  removeBrowserAccounts,
} from '#lib/service/oauth/store/browser-accounts.js'
import {isSecret, secretHash} from '#lib/service/oauth/tokens/secrets.js'
import type {Store} from '#lib/service/store/index.js'
import {allUsers, DEFAULT_LOGIN, ensureUser, type User} from '#lib/service/store/users.js'
import type {FormProblem} from './layout.js'

const COOKIE = 'drv_session'

/**
 * The session of a browser, with the accounts signed in to it. Accounts have no password, so a session
 * does not prove an identity. It separates accounts, and ties each form to the browser that got it.
 */
export interface BrowserSession {
  /** The value of the form field `authenticity_token`. */
  readonly formToken: string
  /** Headers that set the session cookie; empty if the browser has one. */
  readonly headers: Readonly<Record<string, string>>
  /** The accounts that are signed in, the current one first. */
  readonly users: readonly User[]
}

/**
 * Returns the session of a request, or a new one. If the service has only one account, every browser
 * is signed in to it.
 */
export function openBrowserSession(call: OauthCall): BrowserSession {
  const known = sessionId(call.request)
  const users = signedIn(call, known)
  if (known) return {formToken: formTokenFor(known), headers: {}, users}
  const id = newSessionId(call.store)
  return {formToken: formTokenFor(id), headers: cookieFor(id, call.request), users}
}

/** Returns the accounts that a browser can sign in to, the oldest first. Creates the default account if there are no accounts. */
export function accounts({store, now}: OauthCall): readonly User[] {
  const found = allUsers(store)
  if (found.length === 0) return [ensureUser(store, DEFAULT_LOGIN, now)]
  return found.filter(({suspended}) => !suspended)
}

/** Signs in an account in addition to others, and makes it the current one. Returns the headers with the session cookie. */
export function startBrowserSession(
  {store, now, request}: OauthCall,
  user: User,
): Readonly<Record<string, string>> {
  const id = newSessionId(store)
  addBrowserAccount(store, {id, former: sessionId(request)}, user, now)
  return cookieFor(id, request)
}

/** Returns the signed-in account in the form field `account`. */
export function chosenAccount(
  {users}: BrowserSession,
  form: ReadonlyMap<string, string>,
): User | undefined {
  return users.find(({login}) => login === form.get('account'))
}

/** Signs out all accounts of a browser. */
export function signOut({store, request}: OauthCall): void {
  const id = sessionId(request)
  if (id) removeBrowserAccounts(store, id)
}

function signedIn(call: OauthCall, id: string | undefined): readonly User[] {
  const all = accounts(call)
  if (all.length === 1 || !id) return all.length === 1 ? all : []
  const ids = browserAccounts(call.store, id, call.now)
  return ids.flatMap(userId => all.filter(user => user.id === userId))
}

/**
 * Returns the problem of a form that was not sent from a page of this service in this browser. Also
 * checks the `Origin` header, which distinguishes ports of the same machine; cookies do not.
 */
export function foreignForm(
  {request}: OauthCall,
  form: ReadonlyMap<string, string>,
): FormProblem | undefined {
  const id = sessionId(request)
  const {origin = request.url.origin} = request.headers
  const formToken = form.get('authenticity_token') ?? ''
  const isOwn = id !== undefined && isSecret(formToken, secretHash(formTokenFor(id)))
  if (isOwn && origin === request.url.origin) return undefined
  const problem =
    'The form was sent from another site, or the page is out of date. Submit the form again.'
  return {status: 403, problem}
}

function newSessionId(store: Store): string {
  return store.random(24).toString('base64url')
}

/** Returns the header that sets the session cookie. `Lax` keeps users signed in when they follow a link from an app. */
function cookieFor(id: string, {url}: ServiceRequest): Readonly<Record<string, string>> {
  const secure = url.protocol === 'https:' ? '; Secure' : ''
  return {'Set-Cookie': `${COOKIE}=${id}; Path=/; HttpOnly; SameSite=Lax${secure}`}
}

function formTokenFor(id: string): string {
  return secretHash(`form ${id}`)
}

function sessionId({headers}: ServiceRequest): string | undefined {
  return new RegExp(`(?:^|;\\s*)${COOKIE}=([\\w-]{32})(?:;|$)`).exec(headers.cookie ?? '')?.[1]
}
