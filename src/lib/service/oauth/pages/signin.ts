import {parseUrl} from '#lib/api/parse-url.js'
import type {ServiceResponse} from '#lib/service/http/message.js'
import {accountProblem, isLogin} from '#lib/service/oauth/accountproblem.js'
import type {OauthCall} from '#lib/service/oauth/call.js'
import {readParameters} from '#lib/service/oauth/endpoints/requestparameters.js'
import {createUser, type User, userByLogin} from '#lib/service/store/users.js'
import {accountButtons} from './account.js'
import {redirectTargets} from './authorize.js'
import {accounts, foreignForm, openBrowserSession, signIn, signOut} from './browsersession.js'
import {html} from './html.js'
import {type FormProblem, page, problemNote, redirect, tokenField} from './layout.js'
import {SIGN_IN_PATH, TOKENS_PATH} from './paths.js'

/** Signing in to the service itself: choosing one of its accounts, or making a new one. */

type Parameters = ReadonlyMap<string, string>

/** GET /login: `return_to` is where the browser goes then, `login` an account to suggest, `allow_signup=false` offers no new ones. */
export function signInPage(call: OauthCall): ServiceResponse {
  return showPage(call, new Map(call.request.url.searchParams))
}

/** POST /login: signs in to the `account`, or to the `new_account` that it makes. */
export async function signInFormPage(call: OauthCall): Promise<ServiceResponse> {
  const form = await readParameters(call.request)
  const foreign = foreignForm(call, form)
  if (foreign) return showPage(call, form, foreign)
  const user = chosenUser(call, form)
  if (typeof user === 'string') return showPage(call, form, {status: 400, problem: user})
  return redirect(returnAddress(call, form), signIn(call, user))
}

/** POST /logout: signs all accounts of the browser out. */
export async function signOutFormPage(call: OauthCall): Promise<ServiceResponse> {
  const form = await readParameters(call.request)
  const foreign = foreignForm(call, form)
  if (foreign) return showPage(call, form, foreign)
  signOut(call)
  return redirect(SIGN_IN_PATH)
}

/** The account of the form, made where it asks for a new one; or a sentence that says what is wrong. */
function chosenUser(call: OauthCall, form: Parameters): User | string {
  const {store, now} = call
  const fresh = form.get('new_account')?.trim()
  if (!fresh) {
    const login = form.get('account')?.toLowerCase()
    const user = accounts(call).find(known => known.login.toLowerCase() === login)
    return user ?? 'There is no such account.'
  }
  if (!offersSignUp(form)) return 'New accounts are not allowed here.'
  return accountProblem(store, fresh) ?? createUser(store, {login: fresh}, now)
}

function offersSignUp(parameters: Parameters): boolean {
  return parameters.get('allow_signup') !== 'false'
}

/** Where to go after signing in: never to another origin. */
function returnAddress({request}: OauthCall, parameters: Parameters): string {
  const {origin} = request.url
  const wished = parameters.get('return_to') ?? TOKENS_PATH
  const url = parseUrl(wished, origin)
  return url?.origin === origin ? url.pathname + url.search : TOKENS_PATH
}

function showPage(
  call: OauthCall,
  parameters: Parameters,
  {status, problem}: FormProblem = {},
): ServiceResponse {
  const session = openBrowserSession(call)
  const hint = parameters.get('login')
  const target = returnAddress(call, parameters)
  const isNewHint = hint !== undefined && isLogin(hint) && !userByLogin(call.store, hint)
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
    formTargets: redirectTargets(call, target),
    body: html`${problemNote(problem)}
      <p class="soft">Choose the account to sign in to.</p>
      <form method="post" action="${SIGN_IN_PATH}">
        ${carried} ${accountButtons(accounts(call), hint?.toLowerCase())}
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
