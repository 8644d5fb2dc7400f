import {parseUrl} from '#lib/platform/values.js'
import {
  authorizeForOrganization,
  findRequest,
  organizationById,
} from '#lib/service/oauth/store/organizations.js'
import {tokenById} from '#lib/service/oauth/store/tokens.js'
import type {Store} from '#lib/service/store/index.js'
import {userById} from '#lib/service/store/users.js'

/** Returns the code in the URL for authorizing a token, from the header X-Service-SSO; `undefined` for other texts. */
export function ssoCodeIn(address: string): string | undefined {
  const url = parseUrl(address.replace(/^.*\burl=/, ''))
  return url?.searchParams.get('authorization_request') ?? undefined
}

/** A token that can be authorized for an organization. */
export interface SsoSubject {
  readonly organization: string
  /** The login of its user. */
  readonly user: string
  authorize(): void
}

/** Returns the token behind the URL for authorizing it; `undefined` if the URL is unknown or expired. */
export function ssoSubject(store: Store, address: string, now: number): SsoSubject | undefined {
  const request = findRequest(store, ssoCodeIn(address) ?? '', now)
  const token = request && tokenById(store, request.token_id)
  if (!token) return undefined
  return {
    organization: organizationById(store, request.organization_id)!.name,
    user: userById(store, token.user_id)!.login,
    authorize: () => authorizeForOrganization(store, token.id, request.organization_id),
  }
}
