import type {ServiceResponse} from '#lib/service/http/message.js'
import type {OauthCall} from '#lib/service/oauth/call.js'
import {readParameters} from '#lib/service/oauth/endpoints/requestparameters.js'
import {grantByUserCode} from '#lib/service/oauth/flows/deviceflow.js'
import {type App, appById} from '#lib/service/oauth/store/apps.js'
import {countAttempt, type Limit, overLimitUntil} from '#lib/service/oauth/store/attempts.js'
import {decideGrant, type DeviceGrant} from '#lib/service/oauth/store/devicegrants.js'
import {scopesOf} from '#lib/service/oauth/tokens/token.js'
import {
  accountField,
  appPicture,
  decisionButtons,
  FOREIGN_ACCOUNT,
  NO_DECISION,
  scopeList,
} from './account.js'
import {type BrowserSession, foreignForm, openBrowserSession} from './browsersession.js'
import {html} from './html.js'
import {checkIcon, crossIcon} from './icons.js'
import {type FormProblem, page, problemNote, redirect, refusalPage, tokenField} from './layout.js'
import {connectionPath, DEVICE_PATH, signInAddress} from './paths.js'

/** How many user codes may be submitted for one app (spec: authorization.md, Limits). */
const USER_CODE_LIMIT: Limit = {count: 50, window: 60 * 60 * 1000}

/** GET /login/device: asks for the user code; `?user_code=` fills it in. */
export function deviceEntryPage(call: OauthCall): ServiceResponse {
  const userCode = call.request.url.searchParams.get('user_code') ?? ''
  const session = openBrowserSession(call)
  return session.users.length === 0 ? redirect(signInFor(userCode)) : entryPage(session, userCode)
}

/**
 * POST /login/device: with `user_code` alone it shows which app asks for what; with `decision` and
 * `account` as well it carries out what the user decided.
 */
export async function deviceFormPage(call: OauthCall): Promise<ServiceResponse> {
  const {store, now} = call
  const form = await readParameters(call.request)
  const session = openBrowserSession(call)
  const foreign = foreignForm(call, form)
  if (foreign) return entryPage(session, form.get('user_code'), foreign)
  const userCode = form.get('user_code') ?? ''
  if (session.users.length === 0) return redirect(signInFor(userCode))
  const decision = form.get('decision')
  const grant = grantByUserCode(store, userCode)
  const until = store.write(() => submissionRefusedUntil(call, grant, !decision))
  if (until !== undefined) return tooManyCodes(until, now)

  const problem = grant
    ? whyClosed(grant, now)
    : 'This code is not known. Check it, and enter it again.'
  if (!grant || problem) return entryPage(session, userCode, {status: 400, problem})
  const app = appById(store, grant.client_id)!
  const confirm = (wrong?: FormProblem) => confirmPage(session, app, grant, userCode, wrong)
  if (!decision) return confirm()
  const user = session.users.find(({login}) => login === form.get('account'))
  if (!user) return confirm(FOREIGN_ACCOUNT)
  if (decision !== 'authorize' && decision !== 'cancel') return confirm(NO_DECISION)
  const state = decision === 'authorize' ? 'authorized' : 'denied'
  if (!decideGrant(store, grant, {state, user}, now)) {
    return entryPage(session, undefined, {status: 400, problem: USED})
  }
  return donePage(state, app)
}

/**
 * When codes may be submitted again, if there were too many. A code counts for its app. One that is
 * nobody's counts for the address it came from, and too many of those end all tries from there:
 * else guessing would be free.
 */
function submissionRefusedUntil(
  {store, now, request}: OauthCall,
  grant: DeviceGrant | undefined,
  isSubmission: boolean,
): number | undefined {
  const address = `code-address:${request.remoteAddress}`
  const subject = grant ? `code-app:${grant.client_id}` : address
  const counts = isSubmission || !grant
  const until =
    overLimitUntil(store, address, USER_CODE_LIMIT, now) ??
    (counts ? overLimitUntil(store, subject, USER_CODE_LIMIT, now) : undefined)
  if (until === undefined && counts) countAttempt(store, subject, now)
  return until
}

const USED = 'This code has been used already.'

function whyClosed(grant: DeviceGrant, now: number): string | undefined {
  if (grant.state !== 'pending') return USED
  if (now >= grant.expires_at) return 'This code has expired. Start again on your device.'
  return undefined
}

function signInFor(userCode: string): string {
  const query = userCode === '' ? '' : `?${new URLSearchParams({user_code: userCode}).toString()}`
  return signInAddress({return_to: DEVICE_PATH + query})
}

function entryPage(
  {formToken, headers, users}: BrowserSession,
  userCode: string | undefined,
  {status, problem}: FormProblem = {},
): ServiceResponse {
  return page({
    title: 'Connect a device',
    status,
    headers,
    body: html`<form method="post" action="${DEVICE_PATH}">
      ${problemNote(problem)}
      <label for="user_code">Code</label>
      <input
        class="code"
        id="user_code"
        name="user_code"
        value="${userCode}"
        required
        autofocus
        autocomplete="off"
        autocapitalize="characters"
        spellcheck="false"
        maxlength="20"
        placeholder="XXXX-XXXX"
        aria-describedby="${problem ? 'problem hint' : 'hint'}"
      />
      <p class="soft" id="hint">
        Your device or your terminal shows this code. Do not enter a code that someone sent you.
      </p>
      ${tokenField(formToken)}
      <div class="buttons"><button class="main">Continue</button></div>
    </form>`,
    footer: users[0] && html`Signed in as ${users[0].login}.`,
  })
}

function confirmPage(
  {formToken, headers, users}: BrowserSession,
  app: App,
  grant: DeviceGrant,
  userCode: string,
  {status, problem}: FormProblem = {},
): ServiceResponse {
  return page({
    title: `Authorize ${app.name}?`,
    status,
    headers,
    top: appPicture(app.name),
    body: html`<form method="post" action="${DEVICE_PATH}">
        ${problemNote(problem)}
        <p>
          <strong>${app.name}</strong>, on the device with this code, wants to use your account.
        </p>
        ${accountField(users)} ${scopeList(scopesOf(grant))}
        <input type="hidden" name="user_code" value="${userCode}" />
        ${tokenField(formToken)} ${decisionButtons}
      </form>
      <p class="foot"><a href="${signInFor(userCode)}">Use another account</a></p>`,
  })
}

function donePage(state: 'authorized' | 'denied', app: App): ServiceResponse {
  if (state === 'denied') {
    return page({
      title: 'Nothing was authorized',
      top: html`<div class="mark off">${crossIcon}</div>`,
      body: html`<p role="status">${app.name} gets no access. You can close this page.</p>`,
    })
  }
  return page({
    title: 'Your device is connected',
    top: html`<div class="mark">${checkIcon}</div>`,
    body: html`<p role="status">
        ${app.name} now has access. You can close this page and go back to your device.
      </p>
      <p class="foot">
        <a href="${connectionPath(app.client_id)}">Look at its access, or take it back</a>
      </p>`,
  })
}

function minutesText(seconds: number): string {
  const minutes = Math.ceil(seconds / 60)
  return minutes === 1 ? 'a minute' : `${minutes} minutes`
}

function tooManyCodes(until: number, now: number): ServiceResponse {
  const seconds = Math.ceil((until - now) / 1000)
  return refusalPage(
    429,
    'Too many codes',
    `Too many codes were entered within an hour. Try again in ${minutesText(seconds)}.`,
    {'Retry-After': `${seconds}`},
  )
}
