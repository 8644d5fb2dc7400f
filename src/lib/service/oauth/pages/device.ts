import type {ServiceResponse} from '#lib/service/http/message.js'
import type {OauthCall} from '#lib/service/oauth/call.js'
import {codeProblem, grantByUserCode} from '#lib/service/oauth/flows/device-flow.js'
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
import {type BrowserSession, chosenAccount, openBrowserSession} from './browser-session.js'
import {formPage} from './form-page.js'
import {checkIcon, crossIcon, html} from './html.js'
import {type FormProblem, page, problemNote, redirect, refusalPage, tokenField} from './layout.js'
import {connectionPath, DEVICE_PATH, signInAddress} from './paths.js'

/** How many user codes may be submitted for one app (spec: authorization.md, Limits). */
const USER_CODE_LIMIT: Limit = {count: 50, window: 60 * 60 * 1000}

/** A user code, as an address or a form gives it, and whose browser it came from. */
interface Wish extends OauthCall {
  readonly session: BrowserSession
  readonly userCode: string
}

/**
 * /login/device asks for the user code; `?user_code=` fills it in. Its form with `user_code` alone
 * shows which app asks for what; with `decision` and `account` as well it carries out what the user
 * decided.
 */
export const devicePage = formPage<Wish>({
  read(call, values) {
    const session = openBrowserSession(call)
    const userCode = values.get('user_code') ?? ''
    return session.users.length === 0 ? redirect(signInFor(userCode)) : {...call, session, userCode}
  },
  question: entryPage,
  decide(wish, form) {
    const {store, now, session, userCode} = wish
    const decision = form.get('decision')
    const grant = grantByUserCode(store, userCode)
    const until = store.write(() => submissionRefusedUntil(wish, grant, !decision))
    if (until !== undefined) return tooManyCodes(until, now)
    const problem = codeProblem(grant, now)
    if (!grant || problem) return badCode(PROBLEMS[problem ?? 'unknown'])
    const app = appById(store, grant.client_id)!
    if (!decision) return confirmPage(wish, app, grant)
    const user = chosenAccount(session, form)
    if (!user) return confirmPage(wish, app, grant, FOREIGN_ACCOUNT)
    if (decision !== 'authorize' && decision !== 'cancel') {
      return confirmPage(wish, app, grant, NO_DECISION)
    }
    const state = decision === 'authorize' ? 'authorized' : 'denied'
    if (decideGrant(store, grant, {state, user}, now)) return donePage(wish, state, app)
    return entryPage({...wish, userCode: ''}, badCode(PROBLEMS.used))
  },
})

const badCode = (problem: string): FormProblem => ({status: 400, problem})

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

const PROBLEMS = {
  unknown: 'This code is not known. Check it, and enter it again.',
  used: 'This code has been used already.',
  expired: 'This code has expired. Start again on your device.',
} as const

function signInFor(userCode: string): string {
  const query = userCode === '' ? '' : `?${new URLSearchParams({user_code: userCode}).toString()}`
  return signInAddress({return_to: DEVICE_PATH + query})
}

function entryPage({session, userCode}: Wish, wrong?: FormProblem): ServiceResponse {
  const {formToken, headers, users} = session
  return page({
    title: 'Connect a device',
    status: wrong?.status,
    headers,
    body: html`<form method="post" action="${DEVICE_PATH}">
      ${problemNote(wrong)}
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
        aria-describedby="${wrong ? 'problem hint' : 'hint'}"
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
  {session, userCode}: Wish,
  app: App,
  grant: DeviceGrant,
  wrong?: FormProblem,
): ServiceResponse {
  const {formToken, headers, users} = session
  return page({
    title: `Authorize ${app.name}?`,
    status: wrong?.status,
    headers,
    top: appPicture(app.name),
    body: html`<form method="post" action="${DEVICE_PATH}">
        ${problemNote(wrong)}
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

function donePage({owner}: OauthCall, state: 'authorized' | 'denied', app: App): ServiceResponse {
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
        ${
          owner
            ? html`To see or revoke its access, start <code>drv local serve</code>.`
            : html`<a href="${connectionPath(app.client_id)}"
                >Look at its access, or take it back</a
              >`
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
    `Too many codes were entered within an hour. Try again in ${minutesText(seconds)}.`,
    {'Retry-After': `${seconds}`},
  )
}
