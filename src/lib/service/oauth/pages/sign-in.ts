import {parseUrl} from '#lib/platform/values.js'
import type {ServiceResponse} from '#lib/service/http/message.js'
import {accountProblem, isLogin} from '#lib/service/oauth/account-problem.js'
import type {OauthCall} from '#lib/service/oauth/call.js'
import {createUser, type User, userByLogin} from '#lib/service/store/users.js'
import {accountButtons} from './account.js'
import {redirectTargets} from './authorize.js'
import {accounts, openBrowserSession, signOut, startBrowserSession} from './browser-session.js'
import {formPage, type FormValues} from './form-page.js'
import {html} from './html.js'
import {type FormProblem, page, problemNote, redirect, tokenField} from './layout.js'
import {SIGN_IN_PATH, TOKENS_PATH} from './paths.js'

/** Sign-in to the service itself: the user chooses an account or creates one. */

interface SignInCall extends OauthCall {
  readonly parameters: FormValues
}

const question = {
  read: (call: OauthCall, parameters: FormValues): SignInCall => ({...call, parameters}),
  question: chooserPage,
}

/**
 * /login: `return_to` is the URL to open after sign-in, `login` suggests an account, and
 * `allow_signup=false` allows no new accounts. The form signs in to `account`, or creates
 * `new_account` and signs in to it.
 */
export const signInPage = formPage<SignInCall>({
  ...question,
  decide(signInCall, form) {
    const user = chosenUser(signInCall, form)
    if (typeof user === 'string') return {status: 400, problem: user}
    return redirect(returnAddress(signInCall, form), startBrowserSession(signInCall, user))
  },
})

/** POST /logout: signs out all accounts of the browser. */
export const signOutForm = formPage<SignInCall>({
  ...question,
  decide(signInCall) {
    signOut(signInCall)
    return redirect(SIGN_IN_PATH)
  },
}).POST

/** Returns the account of the form, creating a new one if requested, or a sentence about a problem. */
function chosenUser(call: OauthCall, form: FormValues): User | string {
  const {store, now} = call
  const newLogin = form.get('new_account')?.trim()
  if (!newLogin) {
    const login = form.get('account')?.toLowerCase()
    const user = accounts(call).find(known => known.login.toLowerCase() === login)
    return user ?? 'This account does not exist. Choose one of the accounts below.'
  }
  if (!allowsSignUp(form)) return 'This app does not allow new accounts. Choose an existing one.'
  return accountProblem(store, newLogin) ?? createUser(store, {login: newLogin}, now)
}

function allowsSignUp(parameters: FormValues): boolean {
  return parameters.get('allow_signup') !== 'false'
}

/** Returns the path to open after sign-in; never a URL of another origin. */
function returnAddress({request}: OauthCall, parameters: FormValues): string {
  const {origin} = request.url
  const requested = parameters.get('return_to') ?? TOKENS_PATH
  const url = parseUrl(requested, origin)
  return url?.origin === origin ? url.pathname + url.search : TOKENS_PATH
}

function chooserPage(signInCall: SignInCall, formProblem?: FormProblem): ServiceResponse {
  const {parameters} = signInCall
  const session = openBrowserSession(signInCall)
  const hint = parameters.get('login')
  const target = returnAddress(signInCall, parameters)
  const isNewHint = hint !== undefined && isLogin(hint) && !userByLogin(signInCall.store, hint)
  const carried = html`
    <input type="hidden" name="return_to" value="${target}" />
    ${hint !== undefined && html`<input type="hidden" name="login" value="${hint}" />`}
    ${!allowsSignUp(parameters) && html`<input type="hidden" name="allow_signup" value="false" />`}
    ${tokenField(session.formToken)}
  `
  return page({
    title: 'Sign in',
    status: formProblem?.status,
    headers: session.headers,
    formTargets: redirectTargets(signInCall, target),
    body: html`${problemNote(formProblem)}
      <p class="soft">Choose an account.</p>
      <form method="post" action="${SIGN_IN_PATH}">
        ${carried} ${accountButtons(accounts(signInCall), hint?.toLowerCase())}
      </form>
      ${
        allowsSignUp(parameters) &&
        html`<p class="or">or</p>
          <form method="post" action="${SIGN_IN_PATH}">
            ${carried}
            <label for="new_account">New account</label>
            <input
              id="new_account"
              name="new_account"
              value="${isNewHint && hint}"
              required
              autocomplete="off"
              autocapitalize="none"
              spellcheck="false"
              maxlength="39"
              placeholder="for example ada"
            />
            <div class="buttons"><button>Create account</button></div>
          </form>`
      }`,
    footer: html`Accounts have no passwords, because the service accepts connections only from this
    machine.`,
  })
}
