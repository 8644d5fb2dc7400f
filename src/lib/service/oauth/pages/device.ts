import type {ServiceResponse} from '#lib/service/http/message.js'
import type {OauthCall} from '#lib/service/oauth/call.js'
import {codeProblem, formatUserCode, grantByUserCode} from '#lib/service/oauth/flows/device-flow.js'
import {type App, appById} from '#lib/service/oauth/store/apps.js'
import {countAttempt, type Limit, overLimitUntil} from '#lib/service/oauth/store/attempts.js'
import {decideGrant, type DeviceGrant} from '#lib/service/oauth/store/grants.js'
import {scopesOf} from '#lib/service/oauth/tokens/token.js'
import {
  accountField,
  appPicture,
  decisionButtons,
  FOREIGN_ACCOUNT,
  NO_DECISION,
  scopeList,
} from './account.js'
import {automaticPage} from './automatic.js'
import {type BrowserSession, chosenAccount, openBrowserSession} from './browser-session.js'
import {formPage} from './form-page.js'
import {checkIcon, crossIcon, html} from './html.js'
import {type FormProblem, page, problemNote, redirect, refusalPage, tokenField} from './layout.js'
import {connectionPath, DEVICE_PATH, signInAddress} from './paths.js'

/** Maximum number of user codes submitted for one app (spec: authorization.md, Limits). */
const USER_CODE_LIMIT: Limit = {count: 50, window: 60 * 60 * 1000}

/** A request with a user code from the URL or the form, and the browser's session. */
interface CodeEntry extends OauthCall {
  readonly session: BrowserSession
  readonly userCode: string
}

/**
 * /login/device: asks for the user code; `?user_code=` fills it in. A form with only `user_code` shows
 * the app and its scopes; with `decision` and `account` it stores the decision.
 */
export const devicePage = formPage<CodeEntry>({
  read(call, values) {
    const automatic = automaticPage(call)
    if (automatic) return automatic
    const session = openBrowserSession(call)
    const userCode = values.get('user_code') ?? ''
    return session.users.length === 0 ? redirect(signInFor(userCode)) : {...call, session, userCode}
  },
  question: entryPage,
  decide(entry, form) {
    const {store, now, session, userCode} = entry
    const decision = form.get('decision')
    const grant = grantByUserCode(store, userCode)
    const until = store.write(() => submissionRefusedUntil(entry, grant, !decision))
    if (until !== undefined) return tooManyCodes(until, now)
    const problem = codeProblem(grant, now)
    if (!grant || problem) return badCode(PROBLEMS[problem ?? 'unknown'])
    const app = appById(store, grant.client_id)!
    if (!decision) return confirmPage(entry, app, grant)
    const user = chosenAccount(session, form)
    if (!user) return confirmPage(entry, app, grant, FOREIGN_ACCOUNT)
    if (decision !== 'authorize' && decision !== 'cancel') {
      return confirmPage(entry, app, grant, NO_DECISION)
    }
    const state = decision === 'authorize' ? 'authorized' : 'denied'
    if (decideGrant(store, grant, {state, user}, now)) return donePage(entry, state, app)
    return entryPage({...entry, userCode: ''}, badCode(PROBLEMS.used))
  },
})

const badCode = (problem: string): FormProblem => ({status: 400, problem})

/**
 * Returns when codes may be submitted again (Unix ms) if there were too many. A known code counts for
 * its app. An unknown code counts for the client's IP address, and too many of them block all codes
 * from that address, to prevent guessing.
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

const PROBLEMS = {
  unknown: 'Unknown code. Check the code and enter it again.',
  used: 'This code was already used. Request a new one on your device.',
  expired: 'This code has expired. Request a new one on your device.',
} as const

function signInFor(userCode: string): string {
  const query = userCode === '' ? '' : `?${new URLSearchParams({user_code: userCode}).toString()}`
  return signInAddress({return_to: DEVICE_PATH + query})
}

function entryPage({session, userCode}: CodeEntry, formProblem?: FormProblem): ServiceResponse {
  const {formToken, headers, users} = session
  return page({
    title: 'Connect a device',
    status: formProblem?.status,
    headers,
    body: html`<form method="post" action="${DEVICE_PATH}">
      ${problemNote(formProblem)}
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
        aria-describedby="${formProblem ? 'problem hint' : 'hint'}"
      />
      <p class="soft" id="hint">
        Enter the code shown on your device or in your terminal. Do not enter a code that someone
        sent you.
      </p>
      ${tokenField(formToken)}
      <div class="buttons"><button class="main">Continue</button></div>
    </form>`,
    footer: users[0] && html`Signed in as ${users[0].login}.`,
  })
}

function confirmPage(
  {session, userCode}: CodeEntry,
  app: App,
  grant: DeviceGrant,
  formProblem?: FormProblem,
): ServiceResponse {
  const {formToken, headers, users} = session
  return page({
    title: `Authorize ${app.name}?`,
    status: formProblem?.status,
    headers,
    top: appPicture(app.name),
    body: html`<form method="post" action="${DEVICE_PATH}">
        ${problemNote(formProblem)}
        <p>
          <strong>${app.name}</strong> requests access to your account, for the device that shows
          the code <strong>${formatUserCode(userCode)}</strong>.
        </p>
        ${accountField(users)} ${scopeList(scopesOf(grant))}
        <input type="hidden" name="user_code" value="${userCode}" />
        ${tokenField(formToken)} ${decisionButtons}
      </form>
      <p class="foot"><a href="${signInFor(userCode)}">Use another account</a></p>`,
  })
}

function donePage({owner}: OauthCall, state: 'authorized' | 'denied', app: App): ServiceResponse {
  if (state === 'denied') {
    return page({
      title: 'Access denied',
      top: html`<div class="mark off">${crossIcon}</div>`,
      body: html`<p role="status">${app.name} was not authorized. You can close this page.</p>`,
    })
  }
  return page({
    title: 'Your device is connected',
    top: html`<div class="mark">${checkIcon}</div>`,
    body: html`<p role="status">
        ${app.name} has access to your account. You can close this page and return to your device.
      </p>
      <p class="foot">
        ${
          owner
            ? html`To review or revoke its access later, run <code>drv local serve</code>.`
            : html`<a href="${connectionPath(app.client_id)}">Review or revoke its access</a>`
        }
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
    `Too many codes were entered in the last hour. Try again in ${minutesText(seconds)}.`,
    {'Retry-After': `${seconds}`},
  )
}
