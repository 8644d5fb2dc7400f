import type {ServiceRequest} from '#lib/service/http/message.js'
import {isSecret, secretHash} from '#lib/service/oauth/tokens/secrets.js'
import type {Random} from '#lib/service/store/ids.js'

/**
 * Sign-in to the inspector. Only the owner of the data directory can get a link, which opens the
 * inspector in one browser, once.
 */

/** How long a link can be opened, in ms. */
const LINK_LIFETIME = 5 * 60 * 1000

/** The path that the cookie is sent to. */
export const INSPECT_PATH = '/inspect'

/** The links and sessions of one service. */
export interface InspectSessions {
  /** Returns a new code for a link. */
  newCode(): string
  /** Returns the `Set-Cookie` header of a new session; `undefined` for a code that is unknown, used or expired. */
  open(code: string, request: ServiceRequest): string | undefined
  /** Returns the token for the forms of the session of a request; `undefined` without a session. */
  formToken(request: ServiceRequest): string | undefined
}

/** `now` returns ms of a clock that does not depend on the clock of the service. */
export function createInspectSessions(random: Random, now: () => number): InspectSessions {
  /** The time when each code expires, by the hash of the code. */
  const codes = new Map<string, number>()
  const sessions = new Set<string>()
  return {
    newCode() {
      const code = newSecret(random)
      for (const [hash, expiry] of codes) if (expiry < now()) codes.delete(hash)
      codes.set(secretHash(code), now() + LINK_LIFETIME)
      return code
    },
    open(code, request) {
      const hash = secretHash(code)
      const expiry = codes.get(hash)
      if (expiry === undefined) return undefined
      codes.delete(hash)
      if (expiry < now()) return undefined
      const session = newSecret(random)
      sessions.add(secretHash(session))
      return `${cookieName(request)}=${session}; Path=${INSPECT_PATH}; HttpOnly; SameSite=Strict`
    },
    formToken(request) {
      const session = sessionIn(request)
      if (session === undefined || !sessions.has(secretHash(session))) return undefined
      return secretHash(`inspect form ${session}`)
    },
  }
}

/** Whether a form was sent from a page of this session; the origin distinguishes ports of the same machine. */
export function isOwnForm(
  request: ServiceRequest,
  form: ReadonlyMap<string, string>,
  formToken: string,
): boolean {
  const {origin = request.url.origin} = request.headers
  const sent = form.get('authenticity_token') ?? ''
  return origin === request.url.origin && isSecret(sent, secretHash(formToken))
}

function newSecret(random: Random): string {
  return random(24).toString('base64url')
}

function sessionIn(request: ServiceRequest): string | undefined {
  const pattern = new RegExp(`(?:^|;\\s*)${cookieName(request)}=([\\w-]{32})(?:;|$)`)
  return pattern.exec(request.headers.cookie ?? '')?.[1]
}

/** The name contains the port, because browsers share cookies between ports. */
function cookieName({url}: ServiceRequest): string {
  return `drv_inspect_${url.port}`
}
