import type {Client, Page, ParameterTexts} from '#lib/client/client.js'
import {ProtocolError, refusesToken, ServiceError} from '#lib/client/errors.js'
import {recordsOf} from '#lib/client/pages.js'
import {classifyFailure, type FailureClass} from '#lib/client/retry/policy.js'
import {SetupError} from '#lib/platform/setup-error.js'
import type {InterruptibleSleep, Wake} from './wake.js'

/** Polls for changes: less often while nothing changes, and throughout an outage. */

/** The shortest and the longest time between two requests, in milliseconds. */
export interface PollLimits {
  readonly shortest: number
  readonly longest: number
}

export const POLL_LIMITS: PollLimits = {shortest: 2000, longest: 60_000}

/** Factor by which the delay grows while nothing changes. */
const GROWTH = 1.5

/** The outcome of a request for changes. */
export type PollOutcome = 'changed' | 'idle' | FailureClass

/** Milliseconds until the next request. `previous` is the last delay; `undefined` before the first. */
export function nextChangesDelay(
  outcome: PollOutcome,
  previous: number | undefined,
  {shortest, longest}: PollLimits = POLL_LIMITS,
): number {
  if (outcome === 'changed' || previous === undefined) return atLeastAsked(outcome, shortest)
  const grown = Math.min(longest, Math.max(shortest, Math.round(previous * GROWTH)))
  return atLeastAsked(outcome, grown)
}

/** If the service asks for a longer delay, it is used, even above the longest one. */
function atLeastAsked(outcome: PollOutcome, delay: number): number {
  const asked = typeof outcome === 'object' && 'retryAfter' in outcome ? outcome.retryAfter : 0
  return Math.max(delay, (asked ?? 0) * 1000)
}

/** The client as a follower uses it. */
export type PollClient = Pick<Client, 'call'>

export interface Polling {
  readonly client: PollClient
  /**
   * The token to start from: `startPageToken`, or `nextToken` of an earlier page; empty for the oldest
   * change that the service knows.
   */
  readonly pageToken: string
  /** Parameters of `changes.list` beyond the page token. `fields` must select the page tokens. */
  readonly params?: ParameterTexts
  /** Rejects if the command is interrupted. */
  readonly sleep: InterruptibleSleep
  /** Ends the wait for the next request early. */
  readonly wake?: Wake
  /** Read before each wait (default: `POLL_LIMITS`). */
  readonly limits?: () => PollLimits
  /** Whether to wait for the end of an outage (default: true); otherwise its error is thrown. */
  readonly isPatient?: boolean
  /** Called when requests start to fail, once until the service responds again. */
  readonly onOutage?: (error: unknown) => void
  /** Called when the service responds again after an outage. */
  readonly onRecovery?: () => void
  /**
   * Called when the service refuses the sign-in. Resolves with a client that has a new sign-in, or with
   * `undefined` to throw the error.
   */
  readonly onSignedOut?: (error: unknown) => Promise<PollClient | undefined>
}

/** A page of changes. */
export interface ChangesPage {
  /** The changes as the service sent them, oldest first. */
  readonly changes: readonly Page[]
  /** The token for later changes. To be stored only after `changes` were processed. */
  readonly nextToken: string
  /** Whether there were no further changes at the time of the request. */
  readonly isCurrent: boolean
}

/** The service no longer accepts the page token; the changes since then are unknown. */
export interface ExpiredToken {
  readonly expired: true
}

/**
 * The changes since a page token, page by page, without end. The first page comes at once, even if it is empty.
 * Ends after an expired token. Throws the errors of `client`, except during an outage.
 */
export async function* changesSince(
  polling: Polling,
): AsyncGenerator<ChangesPage | ExpiredToken, void> {
  const {params, sleep, wake, limits = () => POLL_LIMITS, isPatient = true} = polling
  let {client, pageToken} = polling
  let delay: number | undefined
  let hasResponded = false
  let isOut = false

  async function pause(outcome: PollOutcome): Promise<void> {
    delay = nextChangesDelay(outcome, delay, limits())
    await (wake ? wake.wait(delay, sleep) : sleep(delay))
  }

  for (;;) {
    let page: ChangesPage
    try {
      page = await requestPage(client, {...params, ...(pageToken !== '' && {pageToken})})
    } catch (error) {
      if (isExpiredToken(error)) {
        yield {expired: true}
        return
      }
      const next = isSignInFailure(error) && (await polling.onSignedOut?.(error))
      if (next) {
        client = next
        continue
      }
      const outage = isPatient ? outageOf(error, hasResponded) : undefined
      if (!outage) throw error
      if (!isOut) polling.onOutage?.(error)
      isOut = true
      // A notification ends the wait for the next attempt, but not the outage.
      await pause(outage)
      continue
    }
    if (isOut) polling.onRecovery?.()
    if (isOut) delay = undefined
    isOut = false
    hasResponded = true
    yield page
    pageToken = page.nextToken
    if (!page.isCurrent) continue
    if (page.changes.length > 0) await pause('changed')
    else await pause('idle')
  }
}

/** One page. Throws `ProtocolError` for a page that does not lead to later changes. */
async function requestPage(client: PollClient, params: ParameterTexts): Promise<ChangesPage> {
  const page = (await client.call('changes.list', {params})) ?? {}
  const changes = recordsOf(page)
  const {nextPageToken, newStartPageToken} = page
  const nextToken = textOf(nextPageToken) ?? textOf(newStartPageToken)
  const isStuck = nextToken === params.pageToken && textOf(nextPageToken) !== undefined
  if (nextToken === undefined || isStuck) {
    throw new ProtocolError(
      'The service returned a page of changes without a token for later ones.',
    )
  }
  return {changes, nextToken, isCurrent: textOf(nextPageToken) === undefined}
}

/** Some services use numbers. */
function textOf(token: unknown): string | undefined {
  if (typeof token === 'number') return String(token)
  return typeof token === 'string' && token !== '' ? token : undefined
}

/** Whether the service no longer accepts a page token (reference: protocols.md, section 6). */
export function isExpiredToken(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false
  const {status, details} = error
  return status === 410 || (status === 400 && details.location === 'pageToken')
}

/** Whether only a new sign-in helps. */
export function isSignInFailure(error: unknown): boolean {
  return refusesToken(error) || (error instanceof SetupError && error.kind === 'sign-in')
}

/** The failure of an outage, which ends without the user; `undefined` for other errors. */
export function outageOf(error: unknown, hasResponded: boolean): FailureClass | undefined {
  // A failed renewal of the sign-in can be caused by a network error.
  const causes = [error, error instanceof Error ? error.cause : undefined]
  const found = causes.map(classifyFailure).find(({kind}) => kind !== 'final')
  if (found) return found
  // After an earlier response, an unexpected page comes from the network, such as the sign-in page of a hotel.
  return hasResponded && error instanceof ProtocolError ? {kind: 'broken'} : undefined
}
