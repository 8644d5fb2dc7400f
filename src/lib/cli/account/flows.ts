import {randomBytes} from 'node:crypto'
import type {Writable} from 'node:stream'
import {authServiceOf, namingAuthService} from '#lib/auth/authservice.js'
import {SignInError} from '#lib/auth/errors.js'
import {openBrowser} from '#lib/auth/flows/browser.js'
import {type DeviceEvent, signInWithDevice} from '#lib/auth/flows/device.js'
import {createPost} from '#lib/auth/flows/post.js'
import {
  clipboardSequence,
  instructions,
  listenForKeys,
  qrCode,
  spin,
  webInstructions,
} from '#lib/auth/flows/waiting.js'
import {signInWithWeb} from '#lib/auth/flows/web.js'
import {type Context, pageAddress} from '#lib/cli/context/context.js'
import {isAgreed} from '#lib/cli/terminal/confirm.js'
import {isLoopback} from '#lib/config/address.js'

/** Getting a token from a person with a browser: what they see at a terminal, and what programs read. */

/** A new token, and how to tell the browser, where it waits for it, how the rest went. */
export interface ObtainedToken {
  readonly token: string
  /** Somebody brought it: no app got it just now. */
  readonly isGiven?: boolean
  /** As the service wrote them when it gave the token; `undefined` where it did not. */
  readonly scopes?: readonly string[]
  readonly finish?: (problem?: string) => Promise<void>
}

export interface TokenRequest {
  readonly context: Context
  readonly clientId: string
  readonly userAgent: string
  /** Full scope values. */
  readonly scopes: readonly string[]
  /** Takes each step for programs; `undefined` where a person is to read. */
  readonly emit?: (event: string, fields: Readonly<Record<string, unknown>>) => Promise<void>
}

/** Signs in with the device flow. A code that expires at a terminal is followed by a new one, if wished. */
export async function askWithDevice(asking: TokenRequest): Promise<ObtainedToken> {
  const {context, clientId, scopes, emit} = asking
  const {io, sleep, now, signal} = context
  const {post, blame} = await createFormPost(asking)
  for (;;) {
    const screen = openScreen(context)
    const onEvent = async (event: DeviceEvent) => {
      if (event.event === 'slow_down') await emit?.('slow_down', {interval: event.interval})
      if (event.event !== 'authorization_required') return
      const {userCode, expiresIn, interval} = event.code
      const verificationUri = pageAddress(await context.addresses(), event.code.verificationUri)
      if (emit) {
        return emit('authorization_required', {
          verification_uri: verificationUri,
          user_code: userCode,
          expires_in: expiresIn,
          interval,
        })
      }
      // No phone gets to an address of this machine.
      const canScan = io.draws && !isLoopback(new URL(verificationUri))
      const code = await (canScan ? qrCode(verificationUri, widthOf(io.stderr)) : undefined)
      const text = instructions({...event.code, verificationUri}, io.interactive)
      await screen.show(`${text}${code ?? ''}`, verificationUri, userCode, expiresIn)
    }
    try {
      const flow = {clientId, scopes, post, sleep, now, onEvent}
      return await signInWithDevice(flow).catch(blame)
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

export interface WebOptions {
  readonly clientSecret: string
  readonly login?: string
  readonly selectAccount: boolean
  readonly noSignUp: boolean
}

/** Signs in with the web flow. */
export async function askWithWeb(asking: TokenRequest, wishes: WebOptions): Promise<ObtainedToken> {
  const {context, clientId, scopes, emit} = asking
  const {io, signal, addresses} = context
  const found = await addresses()
  const {authUrl} = found
  const {post, blame} = await createFormPost(asking)
  const screen = openScreen(context)
  try {
    const {grant, finish} = await signInWithWeb({
      ...wishes,
      authUrl,
      clientId,
      scopes,
      state: randomBytes(32).toString('base64url'),
      post,
      signal,
      async onAddress(plain, seconds) {
        const address = pageAddress(found, plain)
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

/** How forms reach the authorization service, and how its errors come to name it. */
async function createFormPost({context, userAgent}: TokenRequest) {
  const [settings, {authUrl, owner}, send] = await Promise.all([
    context.settings(),
    context.addresses(),
    context.send(),
  ])
  const {signal} = context
  const place = authServiceOf(settings, authUrl)
  return {
    post: createPost({authUrl, userAgent, headers: owner?.headers, signal, send}),
    blame: (error: unknown): never => {
      throw namingAuthService(error, place)
    },
  }
}

/** What a person sees and presses while the browser is waited for. */
function openScreen({io, environment, now, onEnd}: Context) {
  const endings: Array<() => void> = []
  const close = () => {
    for (let end = endings.pop(); end; end = endings.pop()) end()
  }
  onEnd(close)
  return {
    close,
    /** Shows `text`; Enter opens `address`, c copies `copied`. */
    async show(text: string, address: string, copied: string, seconds: number): Promise<void> {
      // Not a note: without it nobody could go on, however quiet it should be.
      io.stderr.write(text)
      const deadline = now() + seconds * 1000
      if (io.interactive) {
        endings.push(
          listenForKeys(io.stdin, {
            onEnter: () => void openBrowser(address, environment.BROWSER),
            onCopy: () => void io.stderr.write(clipboardSequence(copied)),
            onInterrupt: () => process.kill(process.pid, 'SIGINT'),
          }),
        )
      }
      if (io.draws) endings.push(await spin(io.stderr, () => deadline - now()))
    },
  }
}

function widthOf(stream: Writable & {columns?: number}): number {
  return stream.columns ?? 0
}
