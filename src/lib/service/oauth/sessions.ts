import type {ServiceRequest} from '../http.js'
import type {Store} from '../store/index.js'
import {isSecret, secretHash} from './secrets.js'

const COOKIE = 'drv_session'

/**
 * A browser's session. Accounts of the service have no password, so it proves nobody's identity:
 * it only ties a form to the browser that the form was sent to.
 */
export interface Session {
  /** What forms carry in `authenticity_token`. */
  readonly formToken: string
  /** Headers that give the browser its session; none when it has one. */
  readonly headers: Readonly<Record<string, string>>
}

/** The session of a request, made where it has none. */
export function openSession(store: Store, request: ServiceRequest): Session {
  const known = sessionId(request)
  if (known) return {formToken: formTokenFor(known), headers: {}}
  const id = store.random(24).toString('base64url')
  const secure = request.url.protocol === 'https:' ? '; Secure' : ''
  return {
    formToken: formTokenFor(id),
    headers: {'Set-Cookie': `${COOKIE}=${id}; Path=/; HttpOnly; SameSite=Strict${secure}`},
  }
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

function formTokenFor(id: string): string {
  return secretHash(`form ${id}`)
}

function sessionId({headers}: ServiceRequest): string | undefined {
  return new RegExp(`(?:^|;\\s*)${COOKIE}=([\\w-]{32})(?:;|$)`).exec(headers.cookie ?? '')?.[1]
}
