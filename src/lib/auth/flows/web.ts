import {signInError} from '#lib/auth/errors.js'
import type {AuthServer, WebRequest} from '#lib/auth/server/auth-server.js'
import type {TokenGrant} from '#lib/auth/server/responses.js'
import {openCallbackServer} from './callback.js'

/** Time limit for the browser in seconds, like the lifetime of device codes. */
const PATIENCE = 900

interface WebFlow extends WebRequest {
  readonly server: Pick<AuthServer, 'beginWeb'>
  /** The address that the browser comes back to: a free port of this machine unless given. */
  readonly callbackUrl?: URL
  readonly signal: AbortSignal
  /** Shows the address to open and the time limit in seconds. The flow waits until it resolves. */
  readonly onAddress: (address: string, seconds: number) => Promise<void> | void
  /** Time limit in milliseconds (default: 15 minutes). */
  readonly patience?: number
}

/** A grant, with the function that answers the waiting browser. */
export interface WebGrant {
  readonly grant: TokenGrant
  readonly finish: (problem?: string) => Promise<void>
}

/**
 * Signs in with the web flow (spec: authorization.md, Endpoints, rules 1 and 2): the browser returns a code to a local
 * port, which is exchanged for a token. Throws `SignInError` for a rejection, a callback of another sign-in and a timeout.
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
