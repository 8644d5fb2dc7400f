import type {ServiceResponse} from '#lib/service/http/message.js'
import {ERRORS_PATH} from '#lib/service/oauth/endpoints/answer.js'
import {
  rateLimitEndpoint,
  tokenCheckEndpoint,
  tokensByPassword,
  unknownPath,
  userEndpoint,
} from '#lib/service/oauth/endpoints/api.js'
import {applicationsPage, connectionPage} from '#lib/service/oauth/pages/apps.js'
import {redirect} from '#lib/service/oauth/pages/layout.js'
import {errorsPage, startPage} from '#lib/service/oauth/pages/public-pages.js'
import {signInPage, signOutForm} from '#lib/service/oauth/pages/sign-in.js'
import {newTokenPage, tokensPage} from '#lib/service/oauth/pages/tokens.js'
import type {OauthCall} from './call.js'
import {
  METADATA_PATHS,
  metadataEndpoint,
  RESOURCE_METADATA_PATH,
  resourceMetadataEndpoint,
  STANDARD_PATHS,
} from './endpoints/metadata.js'
import {
  revokeEndpoint,
  standardDeviceEndpoint,
  standardTokenEndpoint,
} from './endpoints/standard.js'
import {deviceCodeEndpoint, tokenEndpoint} from './endpoints/token.js'
import {ownerResponse, type PathAudience} from './guard/owner.js'
import {authorizePage} from './pages/authorize.js'
import {devicePage} from './pages/device.js'
import {
  APPLICATIONS_PATH,
  AUTHORIZE_PATH,
  DEVICE_PATH,
  SIGN_IN_PATH,
  START_PATH,
  TOKENS_PATH,
} from './pages/paths.js'
import {type SignedIn, signedIn} from './pages/settings.js'
import {ssoPage} from './pages/sso.js'

type Endpoint = (call: OauthCall) => ServiceResponse | Promise<ServiceResponse>
type Methods = Readonly<Record<string, Endpoint>>

/**
 * The endpoints of each path by method (spec: authorization.md, Endpoints), and the audience that may
 * use the path in a service with an owner. Some paths contain an app or an organization.
 */
const routes: ReadonlyArray<readonly [path: string | RegExp, PathAudience, Methods]> = [
  [START_PATH, 'browser', {GET: startPage, HEAD: startPage}],
  [DEVICE_PATH, 'browser', devicePage],
  ['/login/device/code', 'owner', {POST: deviceCodeEndpoint}],
  ['/login/oauth/access_token', 'owner', {POST: tokenEndpoint}],
  [AUTHORIZE_PATH, 'browser', authorizePage],
  ...METADATA_PATHS.map(path => [path, 'anyone', {GET: metadataEndpoint}] as const),
  [RESOURCE_METADATA_PATH, 'anyone', {GET: resourceMetadataEndpoint}],
  [STANDARD_PATHS.authorize, 'browser', authorizePage],
  [STANDARD_PATHS.device, 'owner', {POST: standardDeviceEndpoint}],
  [STANDARD_PATHS.token, 'owner', {POST: standardTokenEndpoint}],
  [STANDARD_PATHS.revoke, 'owner', {POST: revokeEndpoint}],
  [ERRORS_PATH, 'anyone', {GET: errorsPage}],
  [APPLICATIONS_PATH, 'browser', {GET: ofSignedIn(applicationsPage)}],
  [SIGN_IN_PATH, 'browser', signInPage],
  [TOKENS_PATH, 'nobody', {...tokensPage, POST: byPasswordOr(tokensPage.POST)}],
  ['/settings', 'browser', {GET: () => redirect(TOKENS_PATH)}],
  [`${TOKENS_PATH}/new`, 'nobody', {GET: ofSignedIn(newTokenPage)}],
  ['/logout', 'browser', {POST: signOutForm}],
  ['/rate_limit', 'anyone', {GET: rateLimitEndpoint}],
  ['/user', 'anyone', {GET: userEndpoint}],
  [/^\/applications\/([^/]+)\/token$/, 'anyone', {POST: tokenCheckEndpoint}],
  [/^\/settings\/connections\/applications\/([^/]+)$/, 'browser', connectionPage],
  [/^\/orgs\/([^/]+)\/sso$/, 'browser', ssoPage],
]

/**
 * Responds to a request to the authorization service; `undefined` for other paths. Unsupported methods
 * get 404 (reference: oauth.md, section 1).
 */
export async function handleOauth(
  call: Omit<OauthCall, 'name'>,
): Promise<ServiceResponse | undefined> {
  const {method, url} = call.request
  for (const [path, audience, methods] of routes) {
    const isPath = typeof path === 'string'
    const found = isPath ? path === url.pathname && [] : path.exec(url.pathname)
    if (!found) continue
    const endpoint = Object.hasOwn(methods, method) ? methods[method]! : unknownPath
    const named = {...call, name: decoded(found[1] ?? '')}
    return ownerResponse(named, audience) ?? endpoint(named)
  }
  return undefined
}

/** Decodes a path segment; empty for invalid percent-encoding. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return ''
  }
}

/** Wraps a page that needs an account: redirects to the sign-in page first if nobody is signed in. */
function ofSignedIn(page: (who: SignedIn) => ServiceResponse): Endpoint {
  return call => {
    const who = signedIn(call)
    return 'status' in who ? who : page(who)
  }
}

/** Creates a token for a program if the request has Basic authentication (the non-web flow); otherwise handles the form. */
function byPasswordOr(form: Endpoint): Endpoint {
  return call => (call.request.headers.authorization ? tokensByPassword(call) : form(call))
}
