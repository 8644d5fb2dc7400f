import type {ServiceRequest} from '../../http/message.js'
import type {Store} from '../../store/index.js'
import {allUsers, DEFAULT_LOGIN, ensureUser, type User} from '../../store/users.js'
import {
  addBrowserAccount,
  browserAccounts,
  removeBrowserAccounts,
} from '../store/browseraccounts.js'
import {isSecret, secretHash} from '../tokens/secrets.js'

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

/** What sessions know besides the request. */
interface Context {
  readonly store: Store
  /** Unix ms. */
  readonly now: number
}

/**
 * The session of a request, made where it has none. Where the service has one account only, every
 * browser is signed in to it.
 */
export function openBrowserSession(context: Context, request: ServiceRequest): BrowserSession {
  const known = sessionId(request)
  const users = signedIn(context, known)
  if (known) return {formToken: formTokenFor(known), headers: {}, users}
  const id = newSessionId(context.store)
  return {formToken: formTokenFor(id), headers: cookieFor(id, request), users}
}

/** The accounts a browser can sign in to, the oldest first; the usual one is made where there is none. */
export function accounts({store, now}: Context): readonly User[] {
  const found = allUsers(store)
  if (found.length === 0) return [ensureUser(store, DEFAULT_LOGIN, now)]
  return found.filter(({suspended}) => !suspended)
}

/** Signs an account in, beside those that are, and makes it the one in use. Returns the headers that tell the browser. */
export function signIn(
  {store, now}: Context,
  request: ServiceRequest,
  user: User,
): Readonly<Record<string, string>> {
  const id = newSessionId(store)
  addBrowserAccount(store, {id, former: sessionId(request)}, user, now)
  return cookieFor(id, request)
}

/** Signs all accounts of a browser out. */
export function signOut({store}: Context, request: ServiceRequest): void {
  const id = sessionId(request)
  if (id) removeBrowserAccounts(store, id)
}

function signedIn(context: Context, id: string | undefined): readonly User[] {
  const all = accounts(context)
  if (all.length === 1 || !id) return all.length === 1 ? all : []
  const ids = browserAccounts(context.store, id, context.now)
  return ids.flatMap(userId => all.filter(user => user.id === userId))
}

/**
 * Whether a form was sent by the page that the service gave to this browser. A browser says where
 * a form comes from, which also tells other ports of the same machine apart; cookies do not.
 */
export function isOwnForm(request: ServiceRequest, origin: string, formToken: string): boolean {
  const id = sessionId(request)
  const from = request.headers.origin
  if (from !== undefined && from !== new URL(origin).origin) return false
  return id !== undefined && isSecret(formToken, secretHash(formTokenFor(id)))
}

/** What is said of a form that `isOwnForm` turns down. */
export const FOREIGN_FORM =
  'This form did not come from this page, or the page is old. Send it again.'

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
