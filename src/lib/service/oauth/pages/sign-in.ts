import {parseUrl} from '#lib/platform/values.js'
import type {ServiceResponse} from '#lib/service/http/message.js'
import {accountProblem, isLogin} from '#lib/service/oauth/account-problem.js'
import type {OauthCall} from '#lib/service/oauth/call.js'
import {createUser, type User, userByLogin} from '#lib/service/store/users.js'
import {accountButtons} from './account.js'
import {redirectTargets} from './authorize.js'
import {accounts, openBrowserSession, signIn, signOut} from './browser-session.js'
import {formPage, type Values} from './form-page.js'
import {html} from './html.js'
import {type FormProblem, page, problemNote, redirect, tokenField} from './layout.js'
import {SIGN_IN_PATH, TOKENS_PATH} from './paths.js'

/** Signing in to the service itself: choosing one of its accounts, or making a new one. */

interface Wish extends OauthCall {
  readonly parameters: Values
}

const question = {
  read: (call: OauthCall, parameters: Values): Wish => ({...call, parameters}),
  question: chooserPage,
}

/**
 * /login: `return_to` is where the browser goes then, `login` an account to suggest,
 * `allow_signup=false` offers no new ones. Its form signs in to the `account`, or to the
 * `new_account` that it makes.
 */
export const signInPage = formPage<Wish>({
  ...question,
  decide(wish, form) {
    const user = chosenUser(wish, form)
    if (typeof user === 'string') return {status: 400, problem: user}
    return redirect(returnAddress(wish, form), signIn(wish, user))
  },
})

/** POST /logout: signs all accounts of the browser out. */
export const signOutForm = formPage<Wish>({
  ...question,
  decide(wish) {
    signOut(wish)
    return redirect(SIGN_IN_PATH)
  },
}).POST

/** The account of the form, made where it asks for a new one; or a sentence that says what is wrong. */
function chosenUser(call: OauthCall, form: Values): User | string {
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

function offersSignUp(parameters: Values): boolean {
  return parameters.get('allow_signup') !== 'false'
}

/** Where to go after signing in: never to another origin. */
function returnAddress({request}: OauthCall, parameters: Values): string {
  const {origin} = request.url
  const wished = parameters.get('return_to') ?? TOKENS_PATH
  const url = parseUrl(wished, origin)
  return url?.origin === origin ? url.pathname + url.search : TOKENS_PATH
}

function chooserPage(wish: Wish, wrong?: FormProblem): ServiceResponse {
  const {parameters} = wish
  const session = openBrowserSession(wish)
  const hint = parameters.get('login')
  const target = returnAddress(wish, parameters)
  const isNewHint = hint !== undefined && isLogin(hint) && !userByLogin(wish.store, hint)
  const carried = html`
    <input type="hidden" name="return_to" value="${target}" />
    ${hint !== undefined && html`<input type="hidden" name="login" value="${hint}" />`}
    ${!offersSignUp(parameters) && html`<input type="hidden" name="allow_signup" value="false" />`}
    ${tokenField(session.formToken)}
  `
  return page({
    title: 'Who are you?',
    status: wrong?.status,
    headers: session.headers,
    formTargets: redirectTargets(wish, target),
    body: html`${problemNote(wrong)}
      <p class="soft">Choose the account to sign in to.</p>
      <form method="post" action="${SIGN_IN_PATH}">
        ${carried} ${accountButtons(accounts(wish), hint?.toLowerCase())}
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
