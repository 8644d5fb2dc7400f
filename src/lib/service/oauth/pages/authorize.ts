import type {ServiceResponse} from '#lib/service/http/message.js'
import type {OauthCall} from '#lib/service/oauth/call.js'
import {errorFields, type OauthError} from '#lib/service/oauth/endpoints/answer.js'
import {issuerOf, STANDARD_PATHS} from '#lib/service/oauth/endpoints/metadata.js'
import {scopeProblem, standardCode} from '#lib/service/oauth/endpoints/standard.js'
import {isHttp, isRedirectAllowed, withQuery} from '#lib/service/oauth/flows/redirect.js'
import {authorizedScopes, isAskedAgain, issueCode} from '#lib/service/oauth/flows/web-flow.js'
import {type App, appById} from '#lib/service/oauth/store/apps.js'
import {challengeProblem} from '#lib/service/oauth/tokens/pkce.js'
import {covers, fullScope, requestedNames} from '#lib/service/oauth/tokens/scopes.js'
import type {User} from '#lib/service/store/users.js'
import {
  accountButtons,
  accountField,
  appPicture,
  decisionButtons,
  FOREIGN_ACCOUNT,
  NO_DECISION,
  scopeList,
} from './account.js'
import {
  accounts,
  type BrowserSession,
  chosenAccount,
  openBrowserSession,
} from './browser-session.js'
import {formPage, type Values} from './form-page.js'
import {type Html, html} from './html.js'
import {type FormProblem, page, problemNote, redirect, refusalPage, tokenField} from './layout.js'
import {AUTHORIZE_PATH, signInAddress} from './paths.js'

/** An authorization request that may be shown to a user: its app and address are right. */
interface Wish extends OauthCall {
  readonly session: BrowserSession
  readonly app: App
  /** Where the answer goes. */
  readonly target: string
  readonly parameters: Values
}

/** The parameters of the request that come back from the sign-in page, and those that the page's form carries on. */
const RETURNED = ['client_id', 'redirect_uri', 'scope', 'state']
/** Those besides that do so at the address of the standards. */
const RETURNED_STANDARD = ['response_type', 'code_challenge', 'code_challenge_method']
const CARRIED = ['login', 'prompt', 'allow_signup']

/**
 * /login/oauth/authorize (spec: authorization.md, Authorization request): finds out which account is
 * meant, then asks it, or goes straight on where the app has all it asks for. Its forms carry the
 * `account` that was picked, or a `decision`. Refusals go to the app's callback URL. At the address
 * that the issuer's metadata names, the parameters of the standards are in force as well.
 */
export const authorizePage = formPage<Wish>({
  read(call, values) {
    const wish = readWish(call, values)
    if ('status' in wish) return wish
    return wish.session.users.length === 0 ? redirect(signInFor(wish)) : wish
  },
  show(wish) {
    if (isStranger(wish)) return redirect(signInFor(wish))
    return needsPicker(wish) ? pickerPage(wish) : proceed(wish, wish.session.users[0]!)
  },
  question: (wish, wrong) =>
    consentPage(
      wish,
      chosenAccount(wish.session, wish.parameters) ?? wish.session.users[0]!,
      wrong,
    ),
  decide(wish, form) {
    const decision = form.get('decision')
    if (decision === 'cancel') return refuse(wish, wish.target, {error: 'access_denied'})
    const user = chosenAccount(wish.session, form)
    if (!user) return FOREIGN_ACCOUNT
    if (decision === undefined) return proceed(wish, user)
    if (decision !== 'authorize') return NO_DECISION
    return grantCode(wish, user, consentedScopes(wish, user))
  },
})

/** Where a browser may be sent on from a page of this address; nowhere for any other page. */
export function redirectTargets({store, request}: OauthCall, address: string): readonly string[] {
  const {pathname, searchParams} = new URL(address, request.url.origin)
  if (pathname !== AUTHORIZE_PATH && pathname !== STANDARD_PATHS.authorize) return []
  const app = appById(store, searchParams.get('client_id') ?? '')
  if (!app?.callback_url) return []
  const requested = searchParams.get('redirect_uri')
  const isAllowed = requested && isRedirectAllowed(app.callback_url, requested)
  return [app.callback_url, ...(isAllowed ? [requested] : [])]
}

/** The request if it may be shown to a user, or the answer that refuses it. */
function readWish(call: OauthCall, values: Values): Wish | ServiceResponse {
  const parameters = isStandard(call) ? standardValues(values) : values
  const app = appById(call.store, parameters.get('client_id') ?? '')
  if (!app) {
    return refusalPage(404, 'Unknown app', 'The client_id of this address belongs to no app.')
  }
  const callback = app.callback_url
  if (callback === null) {
    return refusalPage(400, 'No way back', `${app.name} has no callback URL in its settings.`)
  }
  const asked = {...call, parameters}
  const requested = parameters.get('redirect_uri')
  const isAllowed = !requested || isRedirectAllowed(callback, requested)
  if (isStandard(call)) {
    if (!isAllowed) {
      const sentence = `The redirect_uri of this address is none of ${app.name}.`
      return refusalPage(400, 'No way back', sentence)
    }
    const problem = standardProblem(app, parameters)
    if (problem) return refuse(asked, requested || callback, problem)
  }
  if (app.suspended) return refuse(asked, callback, {error: 'application_suspended'})
  if (!isAllowed) return refuse(asked, callback, {error: 'redirect_uri_mismatch'})
  return {...asked, session: openBrowserSession(call), app, target: requested || callback}
}

/** Whether a request came to the address that the issuer's metadata names. */
function isStandard({request}: OauthCall): boolean {
  return request.url.pathname === STANDARD_PATHS.authorize
}

/** What the standards want of a request beyond the specification. */
function standardProblem(app: App, parameters: Values): OauthError | undefined {
  if (parameters.get('response_type') !== 'code') return {error: 'unsupported_response_type'}
  if (app.secret_hash === null && !parameters.has('code_challenge')) {
    const error_description = 'An app without a secret must send a code_challenge.'
    return {error: 'invalid_request', error_description}
  }
  return challengeProblem(parameters) ?? scopeProblem(parameters)
}

/** The login of OpenID Connect is called otherwise. */
function standardValues(values: Values): Values {
  const login = values.get('login_hint')
  return login === undefined ? values : new Map([...values, ['login', login]])
}

/** What the app wants the account to be asked: several things only at the address of the standards. */
function promptsOf(wish: Wish): readonly string[] {
  const prompt = wish.parameters.get('prompt') ?? ''
  return isStandard(wish) ? prompt.split(' ') : [prompt]
}

function refuse(
  call: OauthCall & {readonly parameters: Values},
  target: string,
  refusal: OauthError,
): ServiceResponse {
  const fields = errorFields(refusal, call.request)
  const error = isStandard(call) ? standardCode(refusal.error) : refusal.error
  return sendBack(call, target, {...fields, error})
}

/** Sends the browser to the app, with what it gave along. */
function sendBack(
  call: OauthCall & {readonly parameters: Values},
  target: string,
  fields: Readonly<Record<string, string>>,
): ServiceResponse {
  const iss = isStandard(call) ? issuerOf(call.request) : undefined
  return redirect(withQuery(target, {...fields, state: call.parameters.get('state'), iss}))
}

/** Whether the request suggests an account that is not signed in in this browser. */
function isStranger(wish: Wish): boolean {
  const hint = wish.parameters.get('login')?.toLowerCase()
  const isHinted = (user: User) => user.login.toLowerCase() === hint
  return !wish.session.users.some(isHinted) && accounts(wish).some(isHinted)
}

/** The parameters of these names that the request has, in the order of the names. */
function givenOf(parameters: Values, names: readonly string[]): Array<[string, string]> {
  return names.flatMap(name => {
    const value = parameters.get(name)
    return value === undefined ? [] : [[name, value]]
  })
}

function returnedBy(call: OauthCall): readonly string[] {
  return isStandard(call) ? [...RETURNED, ...RETURNED_STANDARD] : RETURNED
}

/** The sign-in page, which comes back here. It is where the account is chosen, so that this is not asked twice. */
function signInFor(wish: Wish): string {
  const {parameters, request} = wish
  const query = new URLSearchParams(givenOf(parameters, returnedBy(wish)))
  const login = parameters.get('login')
  return signInAddress({
    return_to: `${request.url.pathname}?${query.toString()}`,
    ...(login && {login}),
    ...(parameters.get('allow_signup') === 'false' && {allow_signup: 'false'}),
  })
}

/** Whether the account is to be picked: where that is asked for, where no browser takes the answer, and where several are signed in. */
function needsPicker(wish: Wish): boolean {
  const {target, session} = wish
  const isAsked = promptsOf(wish).includes('select_account')
  return isAsked || !isHttp(target) || session.users.length > 1
}

/** Asks the account, unless it has allowed the app all of this already. */
function proceed(wish: Wish, user: User): ServiceResponse {
  const {store, now} = wish
  const has = authorizedScopes(store, user, wish.app, now)
  const scopes = consentedScopes(wish, user)
  const isCovered = has && covers(has.map(fullScope), scopes.map(fullScope))
  const isConsentAsked = isStandard(wish) && promptsOf(wish).includes('consent')
  const isFree = isCovered && !isAskedAgain(store, user, wish.app, now) && !isConsentAsked
  return isFree ? grantCode(wish, user, scopes) : consentPage(wish, user)
}

function wantedScopes({parameters}: Wish): readonly string[] {
  return requestedNames(parameters.get('scope') ?? '')
}

/** Without a `scope` the user agrees to what the app has already, which may be nothing. */
function consentedScopes(wish: Wish, user: User): readonly string[] {
  if (wish.parameters.get('scope')) return wantedScopes(wish)
  return authorizedScopes(wish.store, user, wish.app, wish.now) ?? []
}

function grantCode(wish: Wish, user: User, scopes: readonly string[]): ServiceResponse {
  const {store, now, app, target, parameters} = wish
  const redirectUri = parameters.get('redirect_uri') || undefined
  const codeChallenge = isStandard(wish) ? parameters.get('code_challenge') : undefined
  const code = issueCode(store, {app, user, scopes, redirectUri, codeChallenge}, now)
  return sendBack(wish, target, {code})
}

function carriedFields(wish: Wish): Html {
  const {parameters, session} = wish
  const carried = givenOf(parameters, [...returnedBy(wish), ...CARRIED]).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  )
  return html`${carried}${tokenField(session.formToken)}`
}

function pickerPage(wish: Wish): ServiceResponse {
  const {app, target, parameters, session} = wish
  return page({
    title: 'Choose an account',
    headers: session.headers,
    // Browsers hold the redirect behind the form against the policy, too.
    formTargets: [target],
    top: appPicture(app.name),
    body: html`<p><strong>${app.name}</strong> will work with the account that you choose.</p>
      <form method="post" action="${wish.request.url.pathname}">
        ${carriedFields(wish)}
        ${accountButtons(session.users, parameters.get('login')?.toLowerCase())}
      </form>
      <p class="foot"><a href="${signInFor(wish)}">Use another account</a></p>`,
  })
}

function consentPage(wish: Wish, user: User, wrong?: FormProblem): ServiceResponse {
  const {store, now, app, parameters, target, session} = wish
  const {protocol, host} = new URL(target)
  return page({
    title: `Authorize ${app.name}?`,
    status: wrong?.status,
    headers: session.headers,
    formTargets: [target],
    top: appPicture(app.name),
    body: html`<form method="post" action="${wish.request.url.pathname}">
        ${problemNote(wrong)}
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
        ${carriedFields(wish)} ${decisionButtons}
      </form>
      <p class="foot">You will be sent to <strong>${host || protocol}</strong>.</p>
      <p class="foot"><a href="${signInFor(wish)}">Use another account</a></p>`,
  })
}
