import {signInError} from '#lib/auth/errors.js'
import type {AuthServer, WebRequest} from '#lib/auth/server/auth-server.js'
import type {TokenGrant} from '#lib/auth/server/responses.js'
import {openCallbackServer} from './callback.js'

/** How long the browser may take, in seconds: as long as the codes of the device flow last. */
const PATIENCE = 900

interface WebFlow extends WebRequest {
  readonly server: Pick<AuthServer, 'beginWeb'>
  /** The address that the browser comes back to: a free port of this machine unless given. */
  readonly callbackUrl?: URL
  readonly signal: AbortSignal
  /** Shows a person where to go, with the seconds that there are for it. Waited for. */
  readonly onAddress: (address: string, seconds: number) => Promise<void> | void
  /** Milliseconds until it is given up; a quarter of an hour unless a test says otherwise. */
  readonly patience?: number
}

/** A grant, with the browser still waiting to be told how it ended. */
export interface WebGrant {
  readonly grant: TokenGrant
  readonly finish: (problem?: string) => Promise<void>
}

/**
 * Signs in with the web flow (spec: authorization.md, Endpoints, rules 1 and 2): a browser brings a code back to a local
 * port, which is exchanged for a token. Fails with `SignInError` for a refusal, a foreign answer, and when nobody comes.
 */
export async function signInWithWeb({
  server,
  callbackUrl,
  signal,
  onAddress,
  patience = PATIENCE * 1000,
  ...request
}: WebFlow): Promise<WebGrant> {
  const late = AbortSignal.timeout(patience)
  const listener = await openCallbackServer(AbortSignal.any([signal, late]), callbackUrl)
  try {
    const {redirectUri} = listener
    const step = server.beginWeb(request, redirectUri)
    await onAddress(step.address, Math.round(patience / 1000))
    const callback = await listener.callback.catch((error: unknown) => {
      throw late.aborted && !signal.aborted ? signInError('timed_out', undefined, 'web') : error
    })
    try {
      const grant = await step.redeem(callback.query)
      return {grant, finish: problem => callback.answer(problem)}
    } catch (error) {
      await callback.answer((error as Error).message)
      throw error
    }
  } catch (error) {
    listener.close()
    throw error
  }
}
