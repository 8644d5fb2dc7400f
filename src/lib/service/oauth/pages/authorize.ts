import type {ServiceRequest, ServiceResponse} from '../../http.js'
import {createUser, type User, userByLogin} from '../../store/users.js'
import {type App, appById} from '../apps.js'
import {errorFields, type OauthErrorCode} from '../errors.js'
import {readParameters} from '../formats.js'
import {isHttp, isRedirectAllowed, withQuery} from '../redirect.js'
import {covers, requestedScopes} from '../scopes.js'
import {isOwnForm, openSession} from '../sessions.js'
import type {OauthContext} from '../token.js'
import {authorizedScopes, isAskedAgain, issueCode} from '../web.js'
import {accountField, accounts, decisionButtons, scopeList} from './account.js'
import {html} from './html.js'
import {page, refusalPage} from './layout.js'

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

/** What a new account may be called. */
const LOGIN = /^[a-z\d](?:[a-z\d-]{0,37}[a-z\d])?$/i

/**
 * GET /login/oauth/authorize (spec: authorization.md, Authorization request): asks the user, or
 * goes straight on where the app has all it asks for. Refusals go to the app's callback URL.
 */
export function authorizePage(request: ServiceRequest, context: OauthContext): ServiceResponse {
  const wish = readWish(new Map([...request.url.searchParams].reverse()), context)
  if ('status' in wish) return wish
  const users = accounts(context.store, context.now)
  const [only] = users
  if (users.length === 1 && only && mayBeSkipped(wish)) {
    const {store, now} = context
    const has = authorizedScopes(store, only, wish.app, now)
    const scopes = consentedScopes(wish, only, context)
    const isFree = has && covers(has, scopes) && !isAskedAgain(store, only, wish.app, now)
    if (isFree) return grantCode(context, wish, only, scopes)
  }
  return consentPage(request, context, wish)
}

/** POST /login/oauth/authorize: carries out the `decision` for the `account` (or for a `new_account`). */
export async function authorizeFormPage(
  request: ServiceRequest,
  context: OauthContext,
): Promise<ServiceResponse> {
  const form = await readParameters(request)
  const wish = readWish(form, context)
  if ('status' in wish) return wish
  if (!isOwnForm(request, context.origin, form.get('authenticity_token') ?? '')) {
    const problem = 'This form did not come from this page, or the page is old. Send it again.'
    return consentPage(request, context, wish, {status: 403, problem})
  }
  if (form.get('decision') === 'cancel') return refuse(wish.target, 'access_denied', wish, context)
  if (form.get('decision') !== 'authorize') {
    return consentPage(request, context, wish, {
      status: 400,
      problem: 'Choose Authorize or Cancel.',
    })
  }
  const user = chosenUser(form, context)
  return typeof user === 'string'
    ? consentPage(request, context, wish, {status: 400, problem: user})
    : grantCode(context, wish, user, consentedScopes(wish, user, context))
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

function redirect(location: string): ServiceResponse {
  return {
    status: 302,
    headers: {Location: location, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer'},
  }
}

/** Whether the account is beyond doubt as far as the request goes: no picker asked for, and a browser takes the answer. */
function mayBeSkipped({parameters, target}: Wish): boolean {
  return parameters.get('prompt') !== 'select_account' && isHttp(target)
}

function wantedScopes({parameters}: Wish): readonly string[] {
  return requestedScopes(parameters.get('scope') ?? '')
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

/** The account of the form, made where the form asks for a new one; or a sentence that says what is wrong. */
function chosenUser(form: Parameters, {store, now}: OauthContext): User | string {
  const fresh = form.get('new_account')?.trim()
  if (!fresh) return userByLogin(store, form.get('account') ?? '') ?? 'There is no such account.'
  if (!offersSignUp(form)) return 'New accounts are not allowed here.'
  if (!LOGIN.test(fresh)) {
    return 'The name of an account has up to 39 letters, digits and hyphens, with no hyphen at an end.'
  }
  if (userByLogin(store, fresh)) return `There is an account ${fresh} already. Choose it above.`
  return createUser(store, {login: fresh}, now)
}

function offersSignUp(parameters: Parameters): boolean {
  return parameters.get('allow_signup') !== 'false'
}

function consentPage(
  request: ServiceRequest,
  {store, now}: OauthContext,
  wish: Wish,
  {status, problem}: {status?: number; problem?: string} = {},
): ServiceResponse {
  const {app, parameters, target} = wish
  const session = openSession(store, request)
  const carried = CARRIED.filter(name => parameters.has(name)).map(
    name => html`<input type="hidden" name="${name}" value="${parameters.get(name)}" />`,
  )
  const {protocol, host} = new URL(target)
  return page({
    title: `Authorize ${app.name}?`,
    status,
    headers: session.headers,
    // Browsers hold the redirect behind the form against the policy, too.
    formTargets: [isHttp(target) ? `${protocol}//${host}` : protocol],
    body: html`<form method="post" action="/login/oauth/authorize">
      ${problem && html`<p class="bad" role="alert">${problem}</p>`}
      <p><strong>${app.name}</strong> wants to use your account on this service.</p>
      ${
        parameters.get('scope')
          ? scopeList(wantedScopes(wish))
          : html`<p>It asks for no more than what you have allowed it already.</p>`
      }
      ${accountField(accounts(store, now), parameters.get('login'))}
      ${
        offersSignUp(parameters) &&
        html`<label for="new_account">Or a new account</label>
          <input
            id="new_account"
            name="new_account"
            autocomplete="off"
            spellcheck="false"
            maxlength="39"
          />`
      }
      ${carried}
      <input type="hidden" name="authenticity_token" value="${session.formToken}" />
      ${decisionButtons}
      <p class="soft">You will be sent to ${host || protocol}.</p>
    </form>`,
  })
}
