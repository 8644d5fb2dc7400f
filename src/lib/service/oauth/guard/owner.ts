import type {ServiceRequest, ServiceResponse} from '#lib/service/http/message.js'
import type {OauthCall, OwnerCheck} from '#lib/service/oauth/call.js'
import {json, problemBody} from '#lib/service/oauth/endpoints/api-answer.js'
import {redirect, refusalPage} from '#lib/service/oauth/pages/layout.js'
import {isSecret, secretHash} from '#lib/service/oauth/tokens/secrets.js'
import type {Random} from '#lib/service/store/ids.js'

/**
 * Sign-in to a service that one command runs for itself. Only that command may sign in, although every
 * user of the machine can reach the port and accounts have no password. There are two secrets, because
 * the system shows the URL that a browser is started with to every user. The key in that URL opens
 * pages; only the other secret, in requests of the command itself, gets device codes and tokens.
 */

/** The audience that may use a path in such a service. */
export type PathAudience = 'anyone' | 'browser' | 'owner' | 'nobody'

const HEADER = 'x-drv-owner'
const PARAMETER = 'drv_key'

/** The credentials of the command that runs the service. */
export interface Owner {
  /** Headers of its requests to the authorization service. */
  readonly headers: Readonly<Record<string, string>>
  /** Adds the key to the URL of a page, for a browser to open. */
  page(address: string): string
}

/** Creates the secrets of a new service, and the hashes to verify them. */
export function createOwner(random: Random): {readonly owner: Owner; readonly check: OwnerCheck} {
  const secret = random(24).toString('base64url')
  const key = random(24).toString('base64url')
  return {
    owner: {
      headers: {[HEADER]: secret},
      page(address) {
        const url = new URL(address)
        url.searchParams.set(PARAMETER, key)
        return url.href
      },
    },
    check: {secretHash: secretHash(secret), keyHash: secretHash(key)},
  }
}

/**
 * Returns the refusal of a request that may not use a path of this audience, or a redirect that moves
 * the key in the URL of a page to a cookie; `undefined` if the request may use the path.
 */
export function ownerResponse(
  call: OauthCall,
  audience: PathAudience,
): ServiceResponse | undefined {
  const {request, owner} = call
  if (owner === undefined || audience === 'anyone') return undefined
  if (audience === 'owner') {
    const secret = request.headers[HEADER]
    const isOwner = typeof secret === 'string' && isSecret(secret, owner.secretHash)
    return isOwner ? undefined : json(403, problemBody(call, 403, `${REFUSAL} ${INSTEAD}`))
  }
  if (audience === 'browser') {
    const key = request.url.searchParams.get(PARAMETER)
    if (key !== null && request.method === 'GET' && isSecret(key, owner.keyHash)) {
      return withKey(request, key)
    }
    if (isSecret(keyInCookie(request), owner.keyHash)) return undefined
  }
  return refusalPage(403, 'Sign-in is not allowed', `${REFUSAL} ${INSTEAD}`)
}

const REFUSAL = 'This service runs for a single drv command, and only that command can sign in.'
const INSTEAD = 'Use the URL that the command printed, or start a service with `drv local serve`.'

/** Redirects to the same page without the key in its URL. */
function withKey(request: ServiceRequest, key: string): ServiceResponse {
  const url = new URL(request.url)
  url.searchParams.delete(PARAMETER)
  const cookie = `${cookieName(request)}=${key}; Path=/; HttpOnly; SameSite=Lax`
  return redirect(url.pathname + url.search, {'Set-Cookie': cookie})
}

function keyInCookie(request: ServiceRequest): string {
  const pattern = new RegExp(`(?:^|;\\s*)${cookieName(request)}=([\\w-]{32})(?:;|$)`)
  return pattern.exec(request.headers.cookie ?? '')?.[1] ?? ''
}

/** The name contains the port, because browsers share cookies between ports. */
function cookieName({url}: ServiceRequest): string {
  return `${PARAMETER}_${url.port}`
}
