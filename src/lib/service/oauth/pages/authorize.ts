import type {ServiceRequest, ServiceResponse} from '../../http/message.js'
import type {User} from '../../store/users.js'
import type {OauthContext} from '../context.js'
import {errorFields, type OauthErrorCode} from '../endpoints/oautherrors.js'
import {readParameters} from '../endpoints/requestparameters.js'
import {isHttp, isRedirectAllowed, withQuery} from '../flows/redirect.js'
import {authorizedScopes, isAskedAgain, issueCode} from '../flows/webflow.js'
import {type App, appById} from '../store/apps.js'
import {covers, fullScope, requestedNames} from '../tokens/scopes.js'
import {accountButtons, accountField, appPicture, decisionButtons, scopeList} from './account.js'
import {
  accounts,
  FOREIGN_FORM,
  isOwnForm,
  openBrowserSession,
  type BrowserSession,
} from './browsersession.js'
import {type Html, html} from './html.js'
import {page, problemNote, redirect, refusalPage, tokenField} from './layout.js'
import {AUTHORIZE_PATH, signInAddress} from './paths.js'

type Parameters = ReadonlyMap<string, string>

/** An authorization request that may be shown to a user: its app and address are right. */
interface Wish {
  readonly app: App
  /** Where the answer goes. */
  readonly target: string
  readonly parameters: Parameters
}

/** The parameters of the request that the page's form carries on. */
const CARRIED = ['client_id', 'redirect_uri', 'scope', 'state', 'login', 'prompt', 'allow_signup']

/**
 * GET /login/oauth/authorize (spec: authorization.md, Authorization request): finds out which
 * account is meant, then asks it, or goes straight on where the app has all it asks for. Refusals
 * go to the app's callback URL.
 */
export function authorizePage(request: ServiceRequest, context: OauthContext): ServiceResponse {
  const wish = readWish(new Map([...request.url.searchParams].reverse()), context)
  if ('status' in wish) return wish
  const session = openBrowserSession(context, request)
  const [user] = session.users
  if (!user || isStranger(wish, session, context)) return redirect(signInFor(wish))
  return needsPicker(wish, session)
    ? pickerPage(wish, session)
    : proceed(context, wish, session, user)
}

/** POST /login/oauth/authorize: goes on with the `account` that was picked, or carries out its `decision`. */
export async function authorizeFormPage(
  request: ServiceRequest,
  context: OauthContext,
): Promise<ServiceResponse> {
  const form = await readParameters(request)
  const wish = readWish(form, context)
  if ('status' in wish) return wish
  const session = openBrowserSession(context, request)
  const [first] = session.users
  if (!first) return redirect(signInFor(wish))
  const user = session.users.find(({login}) => login === form.get('account'))
  const again = (status: number, problem: string) =>
    consentPage(wish, session, user ?? first, context, {status, problem})
  if (!isOwnForm(request, context.origin, form.get('authenticity_token') ?? '')) {
    return again(403, FOREIGN_FORM)
  }
  const decision = form.get('decision')
  if (decision === 'cancel') return refuse(wish.target, 'access_denied', wish, context)
  if (!user) return again(400, 'Nobody is signed in to this account here.')
  if (decision === undefined) return proceed(context, wish, session, user)
  if (decision !== 'authorize') return again(400, 'Choose Authorize or Cancel.')
  return grantCode(context, wish, user, consentedScopes(wish, user, context))
}

/** Where a browser may be sent on from a page of this address; nowhere for any other page. */
export function redirectTargets(address: string, context: OauthContext): readonly string[] {
  const {pathname, searchParams} = new URL(address, context.origin)
  if (pathname !== AUTHORIZE_PATH) return []
  const app = appById(context.store, searchParams.get('client_id') ?? '')
  if (!app?.callback_url) return []
  const requested = searchParams.get('redirect_uri')
  const isAllowed = requested && isRedirectAllowed(app.callback_url, requested)
  return [app.callback_url, ...(isAllowed ? [requested] : [])]
}

/** The request if it may be shown to a user, or the answer that refuses it. */
function readWish(parameters: Parameters, context: OauthContext): Wish | ServiceResponse {
  const app = appById(context.store, parameters.get('client_id') ?? '')
  if (!app) {
    return refusalPage(404, 'Unknown app', 'The client_id of this address belongs to no app.')
  }
  const callback = app.callback_url
  if (callback === null) {
    return refusalPage(400, 'No way back', `${app.name} has no callback URL in its settings.`)
  }
  if (app.suspended) return refuse(callback, 'application_suspended', {parameters}, context)
  const requested = parameters.get('redirect_uri')
  if (requested && !isRedirectAllowed(callback, requested)) {
    return refuse(callback, 'redirect_uri_mismatch', {parameters}, context)
  }
  return {app, target: requested || callback, parameters}
}

function refuse(
  target: string,
  error: OauthErrorCode,
  {parameters}: Pick<Wish, 'parameters'>,
  {origin}: OauthContext,
): ServiceResponse {
  const {interval: _, ...fields} = errorFields({error}, origin)
  return redirect(withQuery(target, {...textFields(fields), state: parameters.get('state')}))
}

function textFields(fields: Readonly<Record<string, string | number>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))
}

/** Whether the request suggests an account that is not signed in in this browser. */
function isStranger({parameters}: Wish, {users}: BrowserSession, context: OauthContext): boolean {
  const hint = parameters.get('login')?.toLowerCase()
  const isHinted = (user: User) => user.login.toLowerCase() === hint
  return !users.some(isHinted) && accounts(context).some(isHinted)
}

/** The sign-in page, which comes back here. It is where the account is chosen, so that this is not asked twice. */
function signInFor({parameters}: Wish): string {
  const kept = CARRIED.filter(
    name => parameters.has(name) && !['login', 'prompt', 'allow_signup'].includes(name),
  )
  const query = new URLSearchParams(
    kept.map((name): [string, string] => [name, parameters.get(name)!]),
  )
  const login = parameters.get('login')
  return signInAddress({
    return_to: `${AUTHORIZE_PATH}?${query.toString()}`,
    ...(login && {login}),
    ...(parameters.get('allow_signup') === 'false' && {allow_signup: 'false'}),
  })
}

/** Whether the account is to be picked: where that is asked for, where no browser takes the answer, and where several are signed in. */
function needsPicker({parameters, target}: Wish, {users}: BrowserSession): boolean {
  return parameters.get('prompt') === 'select_account' || !isHttp(target) || users.length > 1
}

/** Asks the account, unless it has allowed the app all of this already. */
function proceed(
  context: OauthContext,
  wish: Wish,
  session: BrowserSession,
  user: User,
): ServiceResponse {
  const {store, now} = context
  const has = authorizedScopes(store, user, wish.app, now)
  const scopes = consentedScopes(wish, user, context)
  const isCovered = has && covers(has.map(fullScope), scopes.map(fullScope))
  const isFree = isCovered && !isAskedAgain(store, user, wish.app, now)
  return isFree ? grantCode(context, wish, user, scopes) : consentPage(wish, session, user, context)
}

function wantedScopes({parameters}: Wish): readonly string[] {
  return requestedNames(parameters.get('scope') ?? '')
}

/** Without a `scope` the user agrees to what the app has already, which may be nothing. */
function consentedScopes(wish: Wish, user: User, {store, now}: OauthContext): readonly string[] {
  if (wish.parameters.get('scope')) return wantedScopes(wish)
  return authorizedScopes(store, user, wish.app, now) ?? []
}

function grantCode(
  {store, now}: OauthContext,
  {app, target, parameters}: Wish,
  user: User,
  scopes: readonly string[],
): ServiceResponse {
  const redirectUri = parameters.get('redirect_uri') || undefined
  const code = issueCode(store, {app, user, scopes, redirectUri}, now)
  return redirect(withQuery(target, {code, state: parameters.get('state')}))
}

function carriedFields({parameters}: Wish, {formToken}: BrowserSession): Html {
  const carried = CARRIED.filter(name => parameters.has(name)).map(
    name => html`<input type="hidden" name="${name}" value="${parameters.get(name)}" />`,
  )
  return html`${carried}${tokenField(formToken)}`
}

function pickerPage(wish: Wish, session: BrowserSession): ServiceResponse {
  const {app, target, parameters} = wish
  return page({
    title: 'Choose an account',
    headers: session.headers,
    // Browsers hold the redirect behind the form against the policy, too.
    formTargets: [target],
    top: appPicture(app.name),
    body: html`<p><strong>${app.name}</strong> will work with the account that you choose.</p>
      <form method="post" action="${AUTHORIZE_PATH}">
        ${carriedFields(wish, session)}
        ${accountButtons(session.users, parameters.get('login')?.toLowerCase())}
      </form>
      <p class="foot"><a href="${signInFor(wish)}">Use another account</a></p>`,
  })
}

function consentPage(
  wish: Wish,
  session: BrowserSession,
  user: User,
  {store, now}: OauthContext,
  {status, problem}: {status?: number; problem?: string} = {},
): ServiceResponse {
  const {app, parameters, target} = wish
  const {protocol, host} = new URL(target)
  return page({
    title: `Authorize ${app.name}?`,
    status,
    headers: session.headers,
    formTargets: [target],
    top: appPicture(app.name),
    body: html`<form method="post" action="${AUTHORIZE_PATH}">
        ${problemNote(problem)}
        ${
          isAskedAgain(store, user, app, now) &&
          html`<p class="note">
            ${app.name} got many tokens of yours within an hour, so you are asked again.
          </p>`
        }
        <p><strong>${app.name}</strong> wants to use this account:</p>
        ${accountField([user])}
        ${
          parameters.get('scope')
            ? scopeList(wantedScopes(wish))
            : html`<p>It asks for no more than what you have allowed it already.</p>`
        }
        ${carriedFields(wish, session)} ${decisionButtons}
      </form>
      <p class="foot">You will be sent to <strong>${host || protocol}</strong>.</p>
      <p class="foot"><a href="${signInFor(wish)}">Use another account</a></p>`,
  })
}
