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
 * A browser's session: who is signed in there. Accounts of the service have no password, so it
 * proves nobody's identity; it keeps accounts apart, and ties a form to the browser it was sent to.
 */
export interface BrowserSession {
  /** What forms carry in `authenticity_token`. */
  readonly formToken: string
  /** Headers that give the browser its session; none when it has one. */
  readonly headers: Readonly<Record<string, string>>
  /** The accounts that are signed in, the one in use first. */
  readonly users: readonly User[]
}

/**
 * The session of a request, made where it has none. Where the service has one account only, every
 * browser is signed in to it.
 */
export function openBrowserSession(call: OauthCall): BrowserSession {
  const known = sessionId(call.request)
  const users = signedIn(call, known)
  if (known) return {formToken: formTokenFor(known), headers: {}, users}
  const id = newSessionId(call.store)
  return {formToken: formTokenFor(id), headers: cookieFor(id, call.request), users}
}

/** The accounts a browser can sign in to, the oldest first; the usual one is made where there is none. */
export function accounts({store, now}: OauthCall): readonly User[] {
  const found = allUsers(store)
  if (found.length === 0) return [ensureUser(store, DEFAULT_LOGIN, now)]
  return found.filter(({suspended}) => !suspended)
}

/** Signs an account in, beside those that are, and makes it the one in use. Returns the headers that tell the browser. */
export function signIn(
  {store, now, request}: OauthCall,
  user: User,
): Readonly<Record<string, string>> {
  const id = newSessionId(store)
  addBrowserAccount(store, {id, former: sessionId(request)}, user, now)
  return cookieFor(id, request)
}

/** The signed-in account that the field `account` of a form names. */
export function chosenAccount(
  {users}: BrowserSession,
  form: ReadonlyMap<string, string>,
): User | undefined {
  return users.find(({login}) => login === form.get('account'))
}

/** Signs all accounts of a browser out. */
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
 * What is wrong with a form that was not sent by the page that the service gave to this browser. A
 * browser says where a form comes from, which also tells other ports of the same machine apart;
 * cookies do not.
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
  const problem = 'This form did not come from this page, or the page is old. Send it again.'
  return {status: 403, problem}
}

function newSessionId(store: Store): string {
  return store.random(24).toString('base64url')
}

/** Lax: an app leads people here from its own pages, and they are to stay who they are. */
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
