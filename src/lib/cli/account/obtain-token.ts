import {randomBytes} from 'node:crypto'
import {fullScopes} from '#lib/api/description/scopes.js'
import {BUILTIN_CLIENT_ID} from '#lib/api/wire.js'
import {LIVE_TOKENS, recordToken, tokensMade} from '#lib/auth/budget.js'
import {findClientSecret, keepClientSecret} from '#lib/auth/client-secret.js'
import {SignInError} from '#lib/auth/errors.js'
import {type DeviceEvent, signInWithDevice} from '#lib/auth/flows/device.js'
import {
  clipboardSequence,
  instructions,
  listenForKeys,
  NO_BROWSER,
  openBrowser,
  qrCode,
  spin,
  webInstructions,
} from '#lib/auth/flows/waiting.js'
import {signInWithWeb} from '#lib/auth/flows/web.js'
import {scopesAnywhere, scopesToRequest} from '#lib/auth/scopes.js'
import type {AuthServer, WebRequest} from '#lib/auth/server/auth-server.js'
import type {TokenGrant} from '#lib/auth/server/responses.js'
import {browserAddress, type Context} from '#lib/cli/context/context.js'
import {askSecret, isAgreed} from '#lib/cli/terminal/confirm.js'
import {readAll} from '#lib/cli/terminal/io.js'
import {isLoopback} from '#lib/config/address.js'
import type {ProfileServer, StoreKind} from '#lib/config/config.js'
import {checkToken} from '#lib/config/settings.js'
import {type AuthSettings, findAuthPlace, type SignInFlow} from './open-auth-server.js'
import type {SignInContext} from './sign-in-context.js'
import {signInLocally} from './sign-in-locally.js'

/** Obtains new tokens: from standard input, or from the service through a browser. */

/** A new token; `finish` shows the result in the waiting browser. */
export interface ObtainedToken extends TokenGrant {
  /** Whether the user supplied the token. */
  readonly isGiven?: boolean
  /** The server that can renew or revoke the token. */
  readonly server?: ProfileServer
  readonly finish?: (problem?: string) => Promise<void>
}

/** The options of the web flow. */
export interface WebOptions extends Pick<WebRequest, 'login' | 'selectAccount' | 'noSignUp'> {
  /** The callback URL, if the default does not work. */
  readonly callbackUrl?: URL
}

/** Reads a token from a prompt or from standard input. */
export async function readGivenToken({context, canAsk}: SignInContext): Promise<string> {
  const {io, signal} = context
  if (canAsk) return checkToken(await askSecret('Token:', io, signal), 'Your input')
  return checkToken(await readAll(context), 'Standard input')
}

/**
 * Obtains a token with the device flow, or with the web flow if `web` is set. The local service only prompts for the
 * user. `texts` are the scopes as typed; none means the default scopes.
 */
export async function obtainToken(
  signInContext: SignInContext,
  texts: readonly string[],
  store: StoreKind,
  web: WebOptions | undefined,
): Promise<ObtainedToken & {readonly asked: readonly string[]}> {
  const {context, settings} = signInContext
  const place = await findAuthPlace(context)
  const {found} = place
  const isDefault = texts.length === 0
  const asked = found
    ? isDefault && found.scopes && found.scopes.length > 0
      ? found.scopes
      : scopesAnywhere(texts)
    : scopesToRequest(texts)
  const kind = {...settings, scopes: asked}
  const {state} = context.directories
  // Standard servers do not limit the number of tokens.
  if (!found) warnOfLast(signInContext, tokensMade(state, kind))
  const fresh = await withSecret(
    signInContext,
    {store, place, isWeb: web !== undefined},
    server => {
      const flow = {server, scopes: asked, blame: place.blame}
      if (web) return askWithWeb(signInContext, {...web, ...flow})
      const isLocal = settings.embedded && signInContext.canAsk
      return isLocal ? signInLocally(signInContext, flow) : askWithDevice(signInContext, flow)
    },
  )
  if (!found) await recordToken(state, kind, context.now())
  return {...fresh, scopes: fullScopes(fresh.scopes ?? asked), asked}
}

/**
 * Runs `work` with the server and the client secret, if there is one. Afterwards stores the secret if it was typed or is
 * needed for renewals. Prompts only for services that follow the specification: most native apps have no secret.
 */
async function withSecret(
  {context, settings, openStore, canAsk}: SignInContext,
  {
    store,
    place,
    isWeb,
  }: {readonly store: StoreKind; readonly place: AuthSettings; readonly isWeb: boolean},
  work: (server: AuthServer) => Promise<ObtainedToken>,
): Promise<ObtainedToken> {
  const {io, environment, signal} = context
  const {found} = place
  const ask = canAsk && !found ? (question: string) => askSecret(question, io, signal) : undefined
  const secret =
    isWeb || found
      ? await findClientSecret({settings, environment, openStore, store, ask})
      : undefined
  const fresh = await work(await place.open(secret?.secret))
  const isRenewable = fresh.refreshToken !== undefined
  const isNeeded = isRenewable && settings.clientId !== BUILTIN_CLIENT_ID
  if (secret && (secret.isTyped || isNeeded)) {
    await keepClientSecret(settings, openStore, store, secret.secret)
  }
  // Sign-out revokes the token at a standard server, even if it cannot be renewed.
  const isNoted = isRenewable || found !== undefined
  return {...fresh, ...(isNoted && {server: place.noted(secret !== undefined)})}
}

function warnOfLast({context}: SignInContext, times: readonly number[]): void {
  const [oldest] = times
  if (times.length < LIVE_TOKENS || oldest === undefined) return
  const day = new Date(oldest).toISOString().slice(0, 10)
  context.note(
    `Note: this machine has obtained ${LIVE_TOKENS} tokens with these scopes since ${day}. Only ${LIVE_TOKENS} are valid at a time, so a new one revokes the oldest, which a CI job may be using. To view or revoke the access of the app, run \`drv auth review\`.`,
  )
}

/** Signs in with the device flow. If the code expires, prompts for a new one in a terminal. */
async function askWithDevice(
  {context, emit}: SignInContext,
  {server, scopes, blame}: SignInFlow,
): Promise<ObtainedToken> {
  const {io, sleep, now, signal} = context
  for (;;) {
    const screen = openScreen(context)
    const onEvent = async (event: DeviceEvent) => {
      if (event.event === 'slow_down') await emit?.('slow_down', {interval: event.interval})
      if (event.event !== 'authorization_required') return
      const {userCode, expiresIn, interval} = event.code
      const verificationUri = browserAddress(await context.addresses(), event.code.verificationUri)
      if (emit) {
        return emit('authorization_required', {
          verification_uri: verificationUri,
          user_code: userCode,
          expires_in: expiresIn,
          interval,
        })
      }
      // A phone cannot reach an address of this machine.
      const isHere = isLoopback(new URL(verificationUri))
      const canScan = io.draws && !isHere
      const {columns = 0} = io.stderr as {columns?: number}
      const code = await (canScan ? qrCode(verificationUri, columns) : undefined)
      const text = instructions(
        {...event.code, verificationUri},
        {canPress: io.interactive, isHere},
      )
      await screen.show(`${text}${code ?? ''}`, verificationUri, userCode, expiresIn)
    }
    try {
      return await signInWithDevice({server, scopes, sleep, now, onEvent}).catch(blame)
    } catch (error) {
      screen.close()
      const isExpired =
        error instanceof SignInError && /^(expired_token|token_expired)$/.test(error.code)
      if (!isExpired || emit || !io.interactive) throw error
      if (!(await isAgreed('The code has expired. Get a new one?', io, signal, true))) throw error
    } finally {
      screen.close()
    }
  }
}

/** Signs in with the web flow. */
async function askWithWeb(
  {context, emit}: SignInContext,
  {blame, ...flow}: WebOptions & SignInFlow,
): Promise<ObtainedToken> {
  const {io, signal} = context
  const screen = openScreen(context)
  try {
    const {grant, finish} = await signInWithWeb({
      ...flow,
      state: randomBytes(32).toString('base64url'),
      signal,
      async onAddress(plain, seconds) {
        const address = browserAddress(await context.addresses(), plain)
        if (emit)
          return emit('authorization_required', {authorization_uri: address, expires_in: seconds})
        await screen.show(webInstructions(address, io.interactive), address, address, seconds)
      },
    }).catch(blame)
    return {...grant, finish}
  } finally {
    screen.close()
  }
}

/** Shows instructions and handles keys while waiting for the browser. */
function openScreen({io, environment, now, onEnd}: Context) {
  const endings: Array<() => void> = []
  let say = (text: string): void => void io.stderr.write(text)
  const close = () => {
    for (let end = endings.pop(); end; end = endings.pop()) end()
  }
  onEnd(close)
  return {
    close,
    /** Shows `text`; Enter opens `address`, c copies `copied`. */
    async show(text: string, address: string, copied: string, seconds: number): Promise<void> {
      // Not a notice, which --quiet would hide: sign-in is impossible without it.
      io.stderr.write(text)
      const deadline = now() + seconds * 1000
      if (io.interactive) {
        endings.push(
          listenForKeys(io.stdin, {
            onEnter: () =>
              void openBrowser(address, environment.BROWSER).then(isOpen => {
                if (!isOpen && endings.length > 0) say(`${NO_BROWSER}\n`)
              }),
            onCopy: () => void io.stderr.write(clipboardSequence(copied)),
            onInterrupt: () => process.kill(process.pid, 'SIGINT'),
          }),
        )
      }
      if (!io.draws) return
      const spinner = await spin(io.stderr, () => deadline - now())
      if (!spinner) return
      say = spinner.say
      endings.push(spinner.stop)
    },
  }
}
