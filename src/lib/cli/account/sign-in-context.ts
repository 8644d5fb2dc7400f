import {type Breaker, createBreaker} from '#lib/auth/breaker.js'
import {type OpenStore} from '#lib/auth/store/store.js'
import {stores} from '#lib/auth/store/stores.js'
import type {Context} from '#lib/cli/context/context.js'
import {requiredDirectory} from '#lib/config/paths.js'
import type {Settings} from '#lib/config/settings.js'

/** Everything that a sign-in uses. */
export interface SignInContext {
  readonly context: Context
  readonly settings: Settings
  readonly openStore: OpenStore
  /** Directory of the configuration. */
  readonly directory: string
  readonly breaker: Breaker
  /** Whether to send a token that was rejected recently. */
  readonly force: boolean
  /** Whether to make the profile read-only. */
  readonly isReadOnly: boolean
  /** Whether prompts are possible: at a terminal, without JSON output. */
  readonly canAsk: boolean
  /** Prints an event as JSON; `undefined` without JSON output. */
  readonly emit?: Emit
  /** Prints a notice, unless events are printed. */
  say(text: string): void
}

export type Emit = (event: string, fields: Readonly<Record<string, unknown>>) => Promise<void>

/** Throws `SetupError('configuration')` if there is no configuration directory. */
export async function openSignInContext(
  context: Context,
  {force, isReadOnly, emit}: Pick<SignInContext, 'force' | 'isReadOnly' | 'emit'>,
): Promise<SignInContext> {
  const {directories: places, io, now, note} = context
  const settings = await context.settings()
  return {
    context,
    settings,
    openStore: stores(places),
    directory: requiredDirectory('config', places),
    breaker: createBreaker({state: places.state, binding: settings.binding, now}),
    force,
    isReadOnly,
    canAsk: io.interactive && !emit,
    emit,
    say: text => {
      if (!emit) note(text)
    },
  }
}
