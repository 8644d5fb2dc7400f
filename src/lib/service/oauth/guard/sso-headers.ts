import type {Operation} from '#lib/api/operations.js'
import {type FileServiceError, SsoRequired} from '#lib/service/errors.js'
import {
  addSsoRequest,
  organizationById,
  ssoOrganizations,
} from '#lib/service/oauth/store/organizations.js'
import type {Store} from '#lib/service/store/index.js'
import type {Caller} from '#lib/service/store/store-call.js'

/** The response header about single sign-on (spec: authorization.md, Errors; reference: oauth.md, section 6). */
const HEADER = 'X-Service-SSO'

/** Lifetime in ms of the URL for authorizing a token (spec: authorization.md, Errors). */
const REQUEST_LIFETIME = 60 * 60 * 1000

/** Operations that list items of several shared drives, unless a parameter names one drive. */
const LISTS: readonly string[] = ['files.list', 'drives.list', 'changes.list']

/** Returns the header for a list that omits items of shared drives because the token needs single sign-on. */
export function partialResults(
  store: Store,
  operation: Operation,
  params: Readonly<Record<string, unknown>>,
  caller: Caller,
  now: number,
): Readonly<Record<string, string>> {
  if (!caller.closedDrives || !LISTS.includes(operation.operationId)) return {}
  const {driveId, teamDriveId, includeItemsFromAllDrives, includeTeamDriveItems} = params
  const isWide =
    operation.operationId === 'drives.list' || includeItemsFromAllDrives || includeTeamDriveItems
  if (!isWide || driveId || teamDriveId) return {}
  const closed = new Set(caller.closedDrives.values())
  const omitted = ssoOrganizations(store, caller.user, now).filter(({id}) => closed.has(id))
  if (omitted.length === 0) return {}
  return {[HEADER]: `partial-results; organizations=${omitted.map(({id}) => id).join(',')}`}
}

/**
 * Adds the URL for authorizing the token to an `SsoRequired` error; returns other errors unchanged.
 * Call it outside a transaction that is rolled back, because it stores the URL.
 */
export function withAuthorizationUrl(
  error: FileServiceError,
  {store, origin, now}: {store: Store; origin: string; now: number},
  {tokenId}: Caller,
): FileServiceError {
  if (!(error instanceof SsoRequired)) return error
  const {organizationId, headers} = error
  const code = store.random(20).toString('hex')
  addSsoRequest(
    store,
    code,
    {token_id: tokenId, organization_id: organizationId, expires_at: now + REQUEST_LIFETIME},
    now,
  )
  const {name} = organizationById(store, organizationId)!
  const url = `${origin}/orgs/${encodeURIComponent(name)}/sso?authorization_request=${code}`
  return new SsoRequired(organizationId, {...headers, [HEADER]: `required; url=${url}`})
}
