import type {ServiceRequest, ServiceResponse} from '../../http.js'
import {userByLogin} from '../../store/users.js'
import {appById} from '../apps.js'
import {countAttempts, type Limit, overLimitUntil} from '../attempts.js'
import {decideGrant, type DeviceGrant, grantByUserCode} from '../device.js'
import {readParameters} from '../formats.js'
import {isOwnForm, openSession} from '../sessions.js'
import type {OauthContext} from '../token.js'
import {scopesOf} from '../tokens.js'
import {accountField, accounts, decisionButtons, scopeList} from './account.js'
import {html} from './html.js'
import {page, refusalPage} from './layout.js'

/** How many user codes may be submitted for one app (spec: authorization.md, Limits). */
const USER_CODE_LIMIT: Limit = {count: 50, window: 60 * 60 * 1000}

/** GET /login/device: asks for the user code; `?user_code=` fills it in. */
export function deviceEntryPage(request: ServiceRequest, context: OauthContext): ServiceResponse {
  return entryPage(request, context, {userCode: request.url.searchParams.get('user_code') ?? ''})
}

/**
 * POST /login/device: with `user_code` alone it shows which app asks for what; with `decision` and
 * `account` as well it carries out what the user decided.
 */
export async function deviceFormPage(
  request: ServiceRequest,
  context: OauthContext,
): Promise<ServiceResponse> {
  const {store, now} = context
  const form = await readParameters(request)
  if (!isOwnForm(request, context.origin, form.get('authenticity_token') ?? '')) {
    return entryPage(request, context, {
      status: 403,
      userCode: form.get('user_code'),
      problem: 'This form did not come from this page, or the page is old. Send it again.',
    })
  }
  const userCode = form.get('user_code') ?? ''
  const decision = form.get('decision')
  const grant = grantByUserCode(store, userCode)
  const until = store.write(() => submissionRefusedUntil(request, context, grant, !decision))
  if (until !== undefined) return tooManyCodes(until, now)

  const problem = grant ? whyClosed(grant, now) : 'This code is not known. Look at it once more.'
  if (!grant || problem) return entryPage(request, context, {status: 400, userCode, problem})
  if (!decision) return confirmPage(request, context, grant, userCode)

  const user = userByLogin(store, form.get('account') ?? '')
  if (!user || (decision !== 'authorize' && decision !== 'cancel')) {
    const wrong = user ? 'Choose Authorize or Cancel.' : 'There is no such account.'
    return confirmPage(request, context, grant, userCode, wrong)
  }
  const state = decision === 'authorize' ? 'authorized' : 'denied'
  if (!decideGrant(store, grant, {state, user}, now)) {
    return entryPage(request, context, {status: 400, problem: 'This code has been used already.'})
  }
  return donePage(state, appById(store, grant.client_id)!.name)
}

/**
 * When codes may be submitted again, if there were too many. A code counts for its app. One that is
 * nobody's counts for the address it came from, and too many of those end all tries from there:
 * else guessing would be free.
 */
function submissionRefusedUntil(
  {remoteAddress}: ServiceRequest,
  {store, now}: OauthContext,
  grant: DeviceGrant | undefined,
  isSubmission: boolean,
): number | undefined {
  const address = `code-address:${remoteAddress}`
  const subject = grant ? `code-app:${grant.client_id}` : address
  const counts = isSubmission || !grant
  const until =
    overLimitUntil(store, address, USER_CODE_LIMIT, now) ??
    (counts ? overLimitUntil(store, subject, USER_CODE_LIMIT, now) : undefined)
  if (until === undefined && counts) countAttempts(store, [subject], now)
  return until
}

function whyClosed(grant: DeviceGrant, now: number): string | undefined {
  if (grant.state !== 'pending') return 'This code has been used already.'
  if (now >= grant.expires_at) return 'This code has expired. Start again on your device.'
  return undefined
}

function entryPage(
  request: ServiceRequest,
  {store}: OauthContext,
  {status, userCode, problem}: {status?: number; userCode?: string; problem?: string},
): ServiceResponse {
  const session = openSession(store, request)
  const describedBy = problem ? 'problem hint' : 'hint'
  return page({
    title: 'Connect a device',
    status,
    headers: session.headers,
    body: html`<form method="post" action="/login/device">
      ${problem && html`<p class="bad" role="alert" id="problem">${problem}</p>`}
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
        aria-describedby="${describedBy}"
      />
      <p class="soft" id="hint">
        Your device or your terminal shows this code. Enter no code that someone sent you.
      </p>
      <input type="hidden" name="authenticity_token" value="${session.formToken}" />
      <div class="buttons"><button class="main">Continue</button></div>
    </form>`,
  })
}

function confirmPage(
  request: ServiceRequest,
  {store, now}: OauthContext,
  grant: DeviceGrant,
  userCode: string,
  problem?: string,
): ServiceResponse {
  const session = openSession(store, request)
  const app = appById(store, grant.client_id)!
  return page({
    title: `Authorize ${app.name}?`,
    status: problem ? 400 : 200,
    headers: session.headers,
    body: html`<form method="post" action="/login/device">
      ${problem && html`<p class="bad" role="alert">${problem}</p>`}
      <p><strong>${app.name}</strong> wants to use your account on this service.</p>
      ${scopeList(scopesOf(grant))} ${accountField(accounts(store, now), undefined)}
      <input type="hidden" name="user_code" value="${userCode}" />
      <input type="hidden" name="authenticity_token" value="${session.formToken}" />
      ${decisionButtons}
    </form>`,
  })
}

function donePage(state: 'authorized' | 'denied', appName: string): ServiceResponse {
  if (state === 'denied') {
    return page({
      title: 'Nothing was authorized',
      body: html`<p role="status">${appName} gets no access. You can close this page.</p>`,
    })
  }
  return page({
    title: 'Your device is connected',
    body: html`<p role="status">
      ${appName} now has access. You can close this page and go back to your device.
    </p>`,
  })
}

function tooManyCodes(until: number, now: number): ServiceResponse {
  const seconds = Math.ceil((until - now) / 1000)
  return refusalPage(
    429,
    'Too many codes',
    `Too many codes were entered within an hour. Try again in ${Math.ceil(seconds / 60)} minutes.`,
    {'Retry-After': `${seconds}`},
  )
}
