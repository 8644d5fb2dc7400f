import type {ServiceResponse} from '#lib/service/http/message.js'
import type {Approval, OauthCall} from '#lib/service/oauth/call.js'
import {errorFields, type OauthError} from '#lib/service/oauth/endpoints/answer.js'
import {issuerOf, STANDARD_PATHS} from '#lib/service/oauth/endpoints/metadata.js'
import {standardCode} from '#lib/service/oauth/endpoints/standard.js'
import {isHttp, isRedirectAllowed, withQuery} from '#lib/service/oauth/flows/redirect.js'
import {authorizedScopes, issueCode, needsNewConsent} from '#lib/service/oauth/flows/web-flow.js'
import {type App, appById} from '#lib/service/oauth/store/apps.js'
import {covers, fullScope, requestedNames} from '#lib/service/oauth/tokens/scopes.js'
import {ensureUser, type User} from '#lib/service/store/users.js'
import {
  accountButtons,
  accountField,
  appPicture,
  decisionButtons,
  FOREIGN_ACCOUNT,
  NO_DECISION,
  scopeList,
} from './account.js'
import {automaticPage} from './automatic.js'
import {
  accounts,
  type BrowserSession,
  chosenAccount,
  openBrowserSession,
} from './browser-session.js'
import {formPage, type FormValues} from './form-page.js'
import {type Html, html} from './html.js'
import {type FormProblem, page, problemNote, redirect, refusalPage, tokenField} from './layout.js'
import {AUTHORIZE_PATH, signInAddress} from './paths.js'
import {isStandard, standardProblem, standardValues} from './standard-request.js'

/** An authorization request with a valid app and redirect URL, so that it may be shown to a user. */
interface AuthorizationRequest extends OauthCall {
  readonly session: BrowserSession
  readonly app: App
  /** The URL that the response redirects to. */
  readonly target: string
  readonly parameters: FormValues
}

/** Parameters that are kept while the user signs in. */
const RETURNED = ['client_id', 'redirect_uri', 'scope', 'state']
/** More such parameters at the standard endpoint. */
const RETURNED_STANDARD = ['response_type', 'code_challenge', 'code_challenge_method']
/** More parameters that the forms of the page keep. */
const CARRIED = ['login', 'prompt', 'allow_signup']

/**
 * /login/oauth/authorize (spec: authorization.md, Authorization request): selects the account, then
 * asks for consent, or redirects at once if the app already has the requested access. The forms send
 * the chosen `account` or a `decision`. Errors redirect to the app's callback URL. The standard
 * endpoint in the issuer's metadata supports the parameters of the standards as well.
 */
export const authorizePage = formPage<AuthorizationRequest>({
  read(call, values) {
    const authorization = readRequest(call, values)
    if ('status' in authorization) return authorization
    if (authorization.approval) return decideAtOnce(authorization, authorization.approval)
    return authorization.session.users.length === 0
      ? redirect(signInFor(authorization))
      : authorization
  },
  show(authorization) {
    if (isStranger(authorization)) return redirect(signInFor(authorization))
    return needsPicker(authorization)
      ? pickerPage(authorization)
      : proceed(authorization, authorization.session.users[0]!)
  },
  question: (authorization, formProblem) =>
    consentPage(
      authorization,
      chosenAccount(authorization.session, authorization.parameters) ??
        authorization.session.users[0]!,
      formProblem,
    ),
  decide(authorization, form) {
    const decision = form.get('decision')
    if (decision === 'cancel')
      return refuse(authorization, authorization.target, {error: 'access_denied'})
    const user = chosenAccount(authorization.session, form)
    if (!user) return FOREIGN_ACCOUNT
    if (decision === undefined) return proceed(authorization, user)
    if (decision !== 'authorize') return NO_DECISION
    return grantCode(authorization, user, consentedScopes(authorization, user))
  },
})

/** Returns the URLs that an authorization page at this address may redirect to; none for other pages. */
export function redirectTargets({store, request}: OauthCall, address: string): readonly string[] {
  const {pathname, searchParams} = new URL(address, request.url.origin)
  if (pathname !== AUTHORIZE_PATH && pathname !== STANDARD_PATHS.authorize) return []
  const app = appById(store, searchParams.get('client_id') ?? '')
  if (!app?.callback_url) return []
  const requested = searchParams.get('redirect_uri')
  const isAllowed = requested && isRedirectAllowed(app.callback_url, requested)
  return [app.callback_url, ...(isAllowed ? [requested] : [])]
}

/** Returns the request if it may be shown to a user, or the response that refuses it. */
function readRequest(call: OauthCall, values: FormValues): AuthorizationRequest | ServiceResponse {
  const parameters = isStandard(call) ? standardValues(values) : values
  const app = appById(call.store, parameters.get('client_id') ?? '')
  if (!app) {
    return refusalPage(404, 'Unknown app', 'No app has the client ID in this URL.')
  }
  const callback = app.callback_url
  if (callback === null) {
    return refusalPage(
      400,
      'Missing callback URL',
      `${app.name} has no callback URL in its settings.`,
    )
  }
  const checked = {...call, parameters}
  const requested = parameters.get('redirect_uri')
  const isAllowed = !requested || isRedirectAllowed(callback, requested)
  if (isStandard(call)) {
    if (!isAllowed) {
      const sentence = `The redirect_uri in this URL does not match the callback URL of ${app.name}.`
      return refusalPage(400, 'Invalid redirect URL', sentence)
    }
    const problem = standardProblem(app, parameters)
    if (problem) return refuse(checked, requested || callback, problem)
  }
  if (app.suspended) return refuse(checked, callback, {error: 'application_suspended'})
  if (!isAllowed) return refuse(checked, callback, {error: 'redirect_uri_mismatch'})
  return {...checked, session: openBrowserSession(call), app, target: requested || callback}
}

/** Responds for a service that decides sign-ins itself. */
function decideAtOnce(authorization: AuthorizationRequest, approval: Approval): ServiceResponse {
  if (approval === 'never') return automaticPage(authorization)!
  if (approval === 'deny')
    return refuse(authorization, authorization.target, {error: 'access_denied'})
  const {store, now} = authorization
  const user = ensureUser(store, approval.user, now)
  return grantCode(authorization, user, consentedScopes(authorization, user))
}

/** Returns the prompts that the app requests. Only the standard endpoint supports several. */
function promptsOf(authorization: AuthorizationRequest): readonly string[] {
  const prompt = authorization.parameters.get('prompt') ?? ''
  return isStandard(authorization) ? prompt.split(' ') : [prompt]
}

function refuse(
  call: OauthCall & {readonly parameters: FormValues},
  target: string,
  refusal: OauthError,
): ServiceResponse {
  const fields = errorFields(refusal, call.request)
  const error = isStandard(call) ? standardCode(refusal.error) : refusal.error
  return sendBack(call, target, {...fields, error})
}

/** Redirects the browser to the app, with the state of its request. */
function sendBack(
  call: OauthCall & {readonly parameters: FormValues},
  target: string,
  fields: Readonly<Record<string, string>>,
): ServiceResponse {
  const iss = isStandard(call) ? issuerOf(call.request) : undefined
  return redirect(withQuery(target, {...fields, state: call.parameters.get('state'), iss}))
}

/** Whether the request suggests an account that is not signed in to this browser. */
function isStranger(authorization: AuthorizationRequest): boolean {
  const hint = authorization.parameters.get('login')?.toLowerCase()
  const isHinted = (user: User) => user.login.toLowerCase() === hint
  return !authorization.session.users.some(isHinted) && accounts(authorization).some(isHinted)
}

/** The parameters of these names that the request has, in the order of the names. */
function givenOf(parameters: FormValues, names: readonly string[]): Array<[string, string]> {
  return names.flatMap(name => {
    const value = parameters.get(name)
    return value === undefined ? [] : [[name, value]]
  })
}

function returnedBy(call: OauthCall): readonly string[] {
  return isStandard(call) ? [...RETURNED, ...RETURNED_STANDARD] : RETURNED
}

/** Returns the URL of the sign-in page, which returns to this page. The user chooses the account there, so `prompt` is not repeated. */
function signInFor(authorization: AuthorizationRequest): string {
  const {parameters, request} = authorization
  const query = new URLSearchParams(givenOf(parameters, returnedBy(authorization)))
  const login = parameters.get('login')
  return signInAddress({
    return_to: `${request.url.pathname}?${query.toString()}`,
    ...(login && {login}),
    ...(parameters.get('allow_signup') === 'false' && {allow_signup: 'false'}),
  })
}

/** Whether the user must choose an account: if the app requests it, if the target is not a web page, or if several are signed in. */
function needsPicker(authorization: AuthorizationRequest): boolean {
  const {target, session} = authorization
  const isRequested = promptsOf(authorization).includes('select_account')
  return isRequested || !isHttp(target) || session.users.length > 1
}

/** Shows the consent page, or redirects with a code if the account has already granted this access. */
function proceed(authorization: AuthorizationRequest, user: User): ServiceResponse {
  const {store, now} = authorization
  const granted = authorizedScopes(store, user, authorization.app, now)
  const scopes = consentedScopes(authorization, user)
  const isGranted = granted && covers(granted.map(fullScope), scopes.map(fullScope))
  const isConsentRequested =
    isStandard(authorization) && promptsOf(authorization).includes('consent')
  const needsConsent =
    !isGranted || needsNewConsent(store, user, authorization.app, now) || isConsentRequested
  return needsConsent ? consentPage(authorization, user) : grantCode(authorization, user, scopes)
}

function wantedScopes({parameters}: AuthorizationRequest): readonly string[] {
  return requestedNames(parameters.get('scope') ?? '')
}

/** Returns the scopes the user consents to. Without `scope` these are the scopes already granted, possibly none. */
function consentedScopes(authorization: AuthorizationRequest, user: User): readonly string[] {
  if (authorization.parameters.get('scope')) return wantedScopes(authorization)
  return authorizedScopes(authorization.store, user, authorization.app, authorization.now) ?? []
}

function grantCode(
  authorization: AuthorizationRequest,
  user: User,
  scopes: readonly string[],
): ServiceResponse {
  const {store, now, app, target, parameters} = authorization
  const redirectUri = parameters.get('redirect_uri') || undefined
  const codeChallenge = isStandard(authorization) ? parameters.get('code_challenge') : undefined
  const code = issueCode(store, {app, user, scopes, redirectUri, codeChallenge}, now)
  return sendBack(authorization, target, {code})
}

function carriedFields(authorization: AuthorizationRequest): Html {
  const {parameters, session} = authorization
  const carried = givenOf(parameters, [...returnedBy(authorization), ...CARRIED]).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  )
  return html`${carried}${tokenField(session.formToken)}`
}

function pickerPage(authorization: AuthorizationRequest): ServiceResponse {
  const {app, target, parameters, session} = authorization
  return page({
    title: 'Choose an account',
    headers: session.headers,
    // Browsers apply `form-action` to the redirect after the form, too.
    formTargets: [target],
    top: appPicture(app.name),
    body: html`<p>Choose the account that <strong>${app.name}</strong> will use.</p>
      <form method="post" action="${authorization.request.url.pathname}">
        ${carriedFields(authorization)}
        ${accountButtons(session.users, parameters.get('login')?.toLowerCase())}
      </form>
      <p class="foot"><a href="${signInFor(authorization)}">Use another account</a></p>`,
  })
}

function consentPage(
  authorization: AuthorizationRequest,
  user: User,
  formProblem?: FormProblem,
): ServiceResponse {
  const {store, now, app, target, session} = authorization
  const {protocol, host} = new URL(target)
  return page({
    title: `Authorize ${app.name}?`,
    status: formProblem?.status,
    headers: session.headers,
    formTargets: [target],
    top: appPicture(app.name),
    body: html`<form method="post" action="${authorization.request.url.pathname}">
        ${problemNote(formProblem)}
        ${
          needsNewConsent(store, user, app, now) &&
          html`<p class="note">
            ${app.name} requested many tokens for your account in the last hour. Confirm its access
            again.
          </p>`
        }
        <p><strong>${app.name}</strong> requests access to this account:</p>
        ${accountField([user])} ${scopeList(consentedScopes(authorization, user))}
        ${carriedFields(authorization)} ${decisionButtons}
      </form>
      <p class="foot">You will be redirected to <strong>${host || protocol}</strong>.</p>
      <p class="foot"><a href="${signInFor(authorization)}">Use another account</a></p>`,
  })
}
