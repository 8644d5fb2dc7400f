import {fullScopes} from '#lib/api/description/scopes.js'
import {LIVE_TOKENS, recordToken, tokensMade} from '#lib/auth/budget.js'
import {findClientSecret, keepClientSecret} from '#lib/auth/secret.js'
import {askSecret} from '#lib/cli/terminal/confirm.js'
import {readAll} from '#lib/cli/terminal/io.js'
import type {StoreKind} from '#lib/config/config.js'
import {checkToken} from '#lib/config/settings.js'
import {askWithDevice, askWithWeb, type ObtainedToken, type WebOptions} from './flows.js'
import type {SignInContext} from './sign-in-context.js'

/** Where a new token comes from: standard input, or a person with a browser. */

/** The token that standard input holds, or that somebody types. */
export async function readToken({context, canAsk}: SignInContext): Promise<string> {
  const {io, signal} = context
  if (canAsk) return checkToken(await askSecret('Token:', io, signal), 'What you typed')
  return checkToken(await readAll(context), 'Standard input')
}

/** A token from the service: with the device flow, or with the web flow where there are wishes for it. */
export async function obtainToken(
  signInContext: SignInContext,
  scopes: readonly string[],
  store: StoreKind,
  web: Omit<WebOptions, 'clientSecret'> | undefined,
): Promise<ObtainedToken> {
  const {context, settings, state, userAgent, emit} = signInContext
  const kind = {...settings, scopes}
  warnOfLast(signInContext, tokensMade(state, kind))
  const asking = {context, clientId: settings.clientId, userAgent, scopes, emit}
  const fresh = web
    ? await withSecret(signInContext, store, clientSecret =>
        askWithWeb(asking, {...web, clientSecret}),
      )
    : await askWithDevice(asking)
  await recordToken(state, kind, context.now())
  return {...fresh, scopes: fullScopes(fresh.scopes ?? scopes)}
}

/** Does `work` with the client secret; one that was typed is kept once it has proved right. */
async function withSecret(
  {context, settings, openStore, canAsk}: SignInContext,
  store: StoreKind,
  work: (clientSecret: string) => Promise<ObtainedToken>,
): Promise<ObtainedToken> {
  const {io, environment, signal} = context
  const ask = canAsk ? (question: string) => askSecret(question, io, signal) : undefined
  const {secret, isTyped} = await findClientSecret({settings, environment, openStore, store, ask})
  const fresh = await work(secret)
  if (isTyped) await keepClientSecret(settings, openStore, store, secret)
  return fresh
}

function warnOfLast({context}: SignInContext, times: readonly number[]): void {
  const [oldest] = times
  if (times.length < LIVE_TOKENS || oldest === undefined) return
  const day = new Date(oldest).toISOString().slice(0, 10)
  context.note(
    `Note: this machine has got ${LIVE_TOKENS} such tokens since ${day}, and only ${LIVE_TOKENS} live at once: a new one ends the oldest, which a CI job may be using. \`drv auth review\` shows them.`,
  )
}
