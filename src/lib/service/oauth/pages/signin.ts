import type {ServiceRequest, ServiceResponse} from '../../http/message.js'
import {createUser, type User, userByLogin} from '../../store/users.js'
import {accountProblem, isLogin} from '../accountproblem.js'
import type {OauthContext} from '../context.js'
import {readParameters} from '../endpoints/requestparameters.js'
import {accountButtons} from './account.js'
import {redirectTargets} from './authorize.js'
import {
  accounts,
  FOREIGN_FORM,
  isOwnForm,
  openBrowserSession,
  signIn,
  signOut,
} from './browsersession.js'
import {html} from './html.js'
import {page, problemNote, redirect, tokenField} from './layout.js'
import {signInAddress, SIGN_IN_PATH} from './paths.js'

/** Signing in to the service itself: choosing one of its accounts, or making a new one. */

/** Where a browser goes that came from nowhere. */
const HOME = '/settings/tokens'

type Parameters = ReadonlyMap<string, string>

/** GET /login: `return_to` is where the browser goes then, `login` an account to suggest, `allow_signup=false` offers no new ones. */
export function signInPage(request: ServiceRequest, context: OauthContext): ServiceResponse {
  return showPage(request, context, new Map(request.url.searchParams))
}

/** POST /login: signs in to the `account`, or to the `new_account` that it makes. */
export async function signInFormPage(
  request: ServiceRequest,
  context: OauthContext,
): Promise<ServiceResponse> {
  const form = await readParameters(request)
  if (!isOwnForm(request, context.origin, form.get('authenticity_token') ?? '')) {
    return showPage(request, context, form, {status: 403, problem: FOREIGN_FORM})
  }
  const user = chosenUser(form, context)
  if (typeof user === 'string') {
    return showPage(request, context, form, {status: 400, problem: user})
  }
  return redirect(returnAddress(form, context.origin), signIn(context, request, user))
}

/** POST /logout: signs all accounts of the browser out. */
export async function signOutFormPage(
  request: ServiceRequest,
  context: OauthContext,
): Promise<ServiceResponse> {
  const form = await readParameters(request)
  if (!isOwnForm(request, context.origin, form.get('authenticity_token') ?? '')) {
    return showPage(request, context, form, {status: 403, problem: FOREIGN_FORM})
  }
  signOut(context, request)
  return redirect(signInAddress({}))
}

/** The account of the form, made where it asks for a new one; or a sentence that says what is wrong. */
function chosenUser(form: Parameters, context: OauthContext): User | string {
  const {store, now} = context
  const fresh = form.get('new_account')?.trim()
  if (!fresh) {
    const login = form.get('account')?.toLowerCase()
    const user = accounts(context).find(known => known.login.toLowerCase() === login)
    return user ?? 'There is no such account.'
  }
  if (!offersSignUp(form)) return 'New accounts are not allowed here.'
  return accountProblem(store, fresh) ?? createUser(store, {login: fresh}, now)
}

function offersSignUp(parameters: Parameters): boolean {
  return parameters.get('allow_signup') !== 'false'
}

/** Where to go after signing in: never to another origin. */
function returnAddress(parameters: Parameters, origin: string): string {
  const wished = parameters.get('return_to') ?? HOME
  if (!URL.canParse(wished, origin)) return HOME
  const url = new URL(wished, origin)
  return url.origin === new URL(origin).origin ? url.pathname + url.search : HOME
}

function showPage(
  request: ServiceRequest,
  context: OauthContext,
  parameters: Parameters,
  {status, problem}: {status?: number; problem?: string} = {},
): ServiceResponse {
  const session = openBrowserSession(context, request)
  const users = accounts(context)
  const hint = parameters.get('login')
  const target = returnAddress(parameters, context.origin)
  const isNewHint = hint !== undefined && isLogin(hint) && !userByLogin(context.store, hint)
  const carried = html`
    <input type="hidden" name="return_to" value="${target}" />
    ${hint !== undefined && html`<input type="hidden" name="login" value="${hint}" />`}
    ${!offersSignUp(parameters) && html`<input type="hidden" name="allow_signup" value="false" />`}
    ${tokenField(session.formToken)}
  `
  return page({
    title: 'Who are you?',
    status,
    headers: session.headers,
    formTargets: redirectTargets(target, context),
    body: html`${problemNote(problem)}
      <p class="soft">Choose the account to sign in to.</p>
      <form method="post" action="${SIGN_IN_PATH}">
        ${carried} ${accountButtons(users, hint?.toLowerCase())}
      </form>
      ${
        offersSignUp(parameters) &&
        html`<p class="or">or</p>
          <form method="post" action="${SIGN_IN_PATH}">
            ${carried}
            <label for="new_account">A new account</label>
            <input
              id="new_account"
              name="new_account"
              value="${isNewHint && hint}"
              required
              autocomplete="off"
              autocapitalize="none"
              spellcheck="false"
              maxlength="39"
              placeholder="such as ada"
            />
            <div class="buttons"><button>Create the account</button></div>
          </form>`
      }`,
    footer: html`Accounts of the local service have no password: it serves this machine alone.`,
  })
}
