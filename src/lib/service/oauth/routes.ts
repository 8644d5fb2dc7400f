import type {ServiceResponse} from '#lib/service/http/message.js'
import type {OauthCall} from './call.js'
import {ERRORS_PATH} from './endpoints/oautherrors.js'
import {UnreadableRequest} from './endpoints/requestparameters.js'
import {deviceCodeEndpoint, tokenEndpoint} from './endpoints/token.js'
import {rateLimitEndpoint, tokenCheckEndpoint, unknownPath, userEndpoint} from './endpoints/user.js'
import {type Audience, ownerResponse} from './guard/owner.js'
import {applicationsPage} from './pages/applications.js'
import {authorizeFormPage, authorizePage} from './pages/authorize.js'
import {connectionFormPage, connectionPage} from './pages/connection.js'
import {deviceEntryPage, deviceFormPage} from './pages/device.js'
import {errorsPage} from './pages/errors.js'
import {refusalPage} from './pages/layout.js'
import {newTokenPage} from './pages/newtoken.js'
import {
  APPLICATIONS_PATH,
  AUTHORIZE_PATH,
  DEVICE_PATH,
  SIGN_IN_PATH,
  START_PATH,
  TOKENS_PATH,
} from './pages/paths.js'
import {type SignedIn, signedIn} from './pages/settings.js'
import {signInFormPage, signInPage, signOutFormPage} from './pages/signin.js'
import {ssoFormPage, ssoPage} from './pages/sso.js'
import {startPage} from './pages/start.js'
import {tokensFormPage, tokensPage} from './pages/tokens.js'

type Endpoint = (call: OauthCall) => ServiceResponse | Promise<ServiceResponse>
type Methods = Readonly<Record<string, Endpoint>>

/**
 * What each path does, by method (spec: authorization.md, Endpoints), and who may use it where the
 * service has an owner. Some paths name an app or an organization.
 */
const routes: ReadonlyArray<readonly [path: string | RegExp, Audience, Methods]> = [
  [START_PATH, 'browser', {GET: startPage, HEAD: startPage}],
  [DEVICE_PATH, 'browser', {GET: deviceEntryPage, POST: asPage(deviceFormPage)}],
  ['/login/device/code', 'owner', {POST: deviceCodeEndpoint}],
  ['/login/oauth/access_token', 'owner', {POST: tokenEndpoint}],
  [AUTHORIZE_PATH, 'browser', {GET: authorizePage, POST: asPage(authorizeFormPage)}],
  [ERRORS_PATH, 'anyone', {GET: errorsPage}],
  [APPLICATIONS_PATH, 'browser', {GET: ofSignedIn(applicationsPage)}],
  [SIGN_IN_PATH, 'browser', {GET: signInPage, POST: asPage(signInFormPage)}],
  [TOKENS_PATH, 'nobody', {GET: ofSignedIn(tokensPage), POST: asPage(tokensFormPage)}],
  [`${TOKENS_PATH}/new`, 'nobody', {GET: ofSignedIn(newTokenPage)}],
  ['/logout', 'browser', {POST: asPage(signOutFormPage)}],
  ['/rate_limit', 'anyone', {GET: rateLimitEndpoint}],
  ['/user', 'anyone', {GET: userEndpoint}],
  [/^\/applications\/([^/]+)\/token$/, 'anyone', {POST: tokenCheckEndpoint}],
  [
    /^\/settings\/connections\/applications\/([^/]+)$/,
    'browser',
    {GET: connectionPage, POST: asPage(connectionFormPage)},
  ],
  [/^\/orgs\/([^/]+)\/sso$/, 'browser', {GET: ssoPage, POST: asPage(ssoFormPage)}],
]

/**
 * Answers a request to the authorization service; `undefined` for a path that is none of its own.
 * A method that a path does not have is 404 (reference: oauth.md, section 1).
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

/** A segment that is badly encoded names nothing. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return ''
  }
}

/** A form that cannot be read is answered with a page, like everything else about it. */
function asPage(work: (call: OauthCall) => Promise<ServiceResponse>): Endpoint {
  return async call => {
    try {
      return await work(call)
    } catch (error) {
      if (!(error instanceof UnreadableRequest)) throw error
      return refusalPage(error.status, 'The form cannot be read', error.message)
    }
  }
}

/** A page for somebody; whoever is not signed in is sent to do that first. */
function ofSignedIn(page: (who: SignedIn) => ServiceResponse): Endpoint {
  return call => {
    const who = signedIn(call)
    return 'status' in who ? who : page(who)
  }
}
