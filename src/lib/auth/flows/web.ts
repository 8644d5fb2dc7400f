import {createHash, timingSafeEqual} from 'node:crypto'
import {signInError} from '#lib/auth/errors.js'
import {type RawAnswer, readFields} from './answer.js'
import {openCallbackServer} from './callback.js'
import {grantOf, type TokenGrant} from './responses.js'

/** How long the browser may take, in seconds: as long as the codes of the device flow last. */
const PATIENCE = 900

interface WebFlow {
  /** Address of the authorization service, no slash at the end. */
  readonly authUrl: string
  readonly clientId: string
  readonly clientSecret: string
  /** Full scope values. */
  readonly scopes: readonly string[]
  /** The account that is suggested. */
  readonly login?: string
  /** Have the person choose an account. */
  readonly selectAccount?: boolean
  /** Do not offer a new account. */
  readonly noSignUp?: boolean
  /** Unguessable text, new for each sign-in. */
  readonly state: string
  readonly post: (path: string, form: Readonly<Record<string, string>>) => Promise<RawAnswer>
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
 * Signs in with the web flow (spec: authorization.md, Endpoints, rules 1 and 2): sends a browser to
 * the authorization service, takes it back at a port of this machine, and changes the code it
 * brings for a token. Fails with `SignInError` when sign-in was refused, somebody else's answer
 * came, or nobody did.
 */
export async function signInWithWeb(flow: WebFlow): Promise<WebGrant> {
  const {clientId, clientSecret, state, post, signal, onAddress} = flow
  const {patience = PATIENCE * 1000} = flow
  const late = AbortSignal.timeout(patience)
  const server = await openCallbackServer(AbortSignal.any([signal, late]))
  try {
    const {redirectUri} = server
    await onAddress(authorizeAddress(flow, redirectUri), Math.round(patience / 1000))
    const callback = await server.callback.catch((error: unknown) => {
      throw late.aborted && !signal.aborted ? signInError('timed_out', undefined, 'web') : error
    })
    try {
      const code = readCallback(callback.query, state)
      const answer = await post('/login/oauth/access_token', {
        client_id: clientId,
        client_secret: clientSecret,
        code,
        redirect_uri: redirectUri,
      })
      const grant = grantOf(answer.status, await readFields(answer))
      return {grant, finish: problem => callback.answer(problem)}
    } catch (error) {
      await callback.answer((error as Error).message)
      throw error
    }
  } catch (error) {
    server.close()
    throw error
  }
}

/** Where the browser goes (spec: authorization.md, Resources). */
export function authorizeAddress(
  flow: Pick<
    WebFlow,
    'authUrl' | 'clientId' | 'scopes' | 'login' | 'selectAccount' | 'noSignUp' | 'state'
  >,
  redirectUri: string,
): string {
  const {authUrl, clientId, scopes, login, selectAccount, noSignUp, state} = flow
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: scopes.join(' '),
    state,
    ...(login !== undefined && {login}),
    ...(selectAccount && {prompt: 'select_account'}),
    ...(noSignUp && {allow_signup: 'false'}),
  })
  return `${authUrl}/login/oauth/authorize?${query.toString()}`
}

/**
 * The code that the browser brings. Throws `SignInError` for an answer to somebody else's request
 * before anything else of it is looked at (spec: authorization.md, Endpoints, rule 2), and for a
 * refusal (reference: oauth.md, section 4).
 */
export function readCallback(query: URLSearchParams, state: string): string {
  if (!isSame(query.get('state') ?? '', state))
    throw signInError('state_mismatch', undefined, 'web')
  const refusal = query.get('error')
  if (refusal !== null) {
    throw signInError(refusal, query.get('error_description') ?? undefined, 'web')
  }
  const code = query.get('code')
  if (code) return code
  throw signInError('no_code', undefined, 'web')
}

/** Compares in a time that tells nothing of how alike they are. */
function isSame(given: string, expected: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(given), hash(expected))
}
