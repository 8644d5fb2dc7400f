import type {ServiceRequest, ServiceResponse} from '#lib/service/http/message.js'
import type {OauthCall, OwnerCheck} from '#lib/service/oauth/call.js'
import {json, problemBody} from '#lib/service/oauth/endpoints/api-answer.js'
import {redirect, refusalPage} from '#lib/service/oauth/pages/layout.js'
import {isSecret, secretHash} from '#lib/service/oauth/tokens/secrets.js'
import type {Random} from '#lib/service/store/ids.js'

/**
 * A service that one command runs for itself lets nobody else sign in: every user of the machine can
 * reach its port, and accounts have no password. There are two secrets, because the system shows
 * the address that a browser is started with to every user. The one in that address opens pages;
 * only requests of the command itself, with the other one, get codes for a device and tokens.
 */

/** What a path is for, and so who may use it in such a service. */
export type Audience = 'anyone' | 'browser' | 'owner' | 'nobody'

const HEADER = 'x-drv-owner'
const PARAMETER = 'drv_key'

/** What the command that runs a service for itself signs in with. */
export interface Owner {
  /** Headers of its requests to the authorization service. */
  readonly headers: Readonly<Record<string, string>>
  /** The address of a page as a browser has to open it. */
  page(address: string): string
}

/** The secrets of a service that starts, and how to recognize them. */
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
 * The answer to a request that may not use a path of this audience, or to one that brings the key of
 * the pages, which the browser keeps as a cookie from then on; `undefined` where the path may be used.
 */
export function ownerResponse(call: OauthCall, audience: Audience): ServiceResponse | undefined {
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
    if (isSecret(keptKey(request), owner.keyHash)) return undefined
  }
  return refusalPage(403, 'Sign-in is not offered here', `${REFUSAL} ${INSTEAD}`)
}

const REFUSAL = 'This service runs for one drv command, and nobody else can sign in.'
const INSTEAD = 'Use the address that the command printed, or run `drv local serve`.'

/** Sends the browser on to the same page without the key in its address. */
function withKey(request: ServiceRequest, key: string): ServiceResponse {
  const url = new URL(request.url)
  url.searchParams.delete(PARAMETER)
  const cookie = `${cookieName(request)}=${key}; Path=/; HttpOnly; SameSite=Lax`
  return redirect(url.pathname + url.search, {'Set-Cookie': cookie})
}

function keptKey(request: ServiceRequest): string {
  const pattern = new RegExp(`(?:^|;\\s*)${cookieName(request)}=([\\w-]{32})(?:;|$)`)
  return pattern.exec(request.headers.cookie ?? '')?.[1] ?? ''
}

/** Browsers do not keep the cookies of ports apart. */
function cookieName({url}: ServiceRequest): string {
  return `${PARAMETER}_${url.port}`
}
