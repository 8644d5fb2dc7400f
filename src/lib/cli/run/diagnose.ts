import {operation} from '#lib/api/operations.js'
import {NO_BROWSER, openBrowser} from '#lib/auth/flows/waiting.js'
import {browserAddress, type Context} from '#lib/cli/context/context.js'
import {
  lackingScope,
  ownFilesOnly,
  reachOf,
  type ScopeFacts,
} from '#lib/cli/explain/service-answer.js'
import {isAgreed} from '#lib/cli/terminal/confirm.js'
import {ServiceError} from '#lib/client/errors.js'

/** Finds the probable causes of a 404, and offers single sign-on. */

/** Facts about the token of a request that got a 404. */
export interface TokenDiagnosis extends ScopeFacts {
  /** Organizations whose single sign-on excludes the token. */
  readonly leftOut: readonly string[]
}

/** The probable causes of a 404 as sentences, the likeliest first (spec: authorization.md, Errors). */
export function causesOf404({leftOut, ...facts}: TokenDiagnosis): readonly string[] {
  const {accepted, own = []} = facts
  const causes: string[] = []
  if (leftOut.length > 0) {
    causes.push(
      `The token is not authorized for single sign-on in some organizations (${leftOut.join(', ')}), so their items are not visible.`,
    )
  }
  const reach = reachOf(facts)
  if (reach === 'nothing') {
    causes.push(lackingScope(accepted, own))
  }
  if (reach === 'own files') {
    causes.push(ownFilesOnly(facts))
  }
  return causes
}

/**
 * Requests a list that every token can read, after a 404. Its headers contain the token's scopes and the
 * excluded organizations, whatever the status. Never fails.
 */
export async function probeToken(
  error: ServiceError,
  accepted: readonly string[],
  {addresses, session, signal, send, userAgent}: Context,
): Promise<TokenDiagnosis> {
  let leftOut: readonly string[] = []
  let own = error.details.tokenScopes
  try {
    const [{createSender}, {requestUrl}, {headerScopes}] = await Promise.all([
      import('#lib/client/request.js'),
      import('#lib/client/url.js'),
      import('#lib/client/responses.js'),
    ])
    const {baseUrl} = await addresses()
    const {token, renew} = await session()
    const onLeftOut = (ids: readonly string[]) => (leftOut = ids)
    const timeout = 3000
    const sender = createSender({
      baseUrl,
      token,
      renew,
      onLeftOut,
      timeout,
      userAgent,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
      send: await send(),
    })
    const url = requestUrl(baseUrl, operation('drives.list'), {maxResults: '1', fields: 'kind'})
    const response = await sender.send({method: 'GET', url})
    response.body.destroy()
    own = headerScopes(response.headers['x-oauth-scopes']) ?? own
  } catch (failure) {
    if (failure instanceof ServiceError) own = failure.details.tokenScopes ?? own
  }
  return {accepted: error.details.acceptedScopes ?? accepted, own, leftOut}
}

/** At a terminal, offers to open the single sign-on page of an organization. */
export async function offerSignOn(
  url: string,
  {io, signal, environment, settings, addresses, note}: Context,
): Promise<void> {
  if (!io.interactive || signal.aborted) return
  const ask = (question: string) => isAgreed(question, io, signal, true).catch(() => false)
  if (!(await ask('Open the page in your browser?'))) return
  if (!(await openBrowser(browserAddress(await addresses(), url), environment.BROWSER)))
    note(NO_BROWSER)
  // The local service ends with this command.
  if ((await settings()).embedded) await ask('Finished in the browser?')
}
