import {type Breaker, createBreaker} from '#lib/auth/breaker.js'
import {type OpenStore} from '#lib/auth/store/store.js'
import {stores} from '#lib/auth/store/stores.js'
import type {Context} from '#lib/cli/context/context.js'
import {needed} from '#lib/config/paths.js'
import type {Settings} from '#lib/config/settings.js'

/** What a sign-in works with. */
export interface SignInContext {
  readonly context: Context
  readonly settings: Settings
  readonly openStore: OpenStore
  /** Directory of the configuration. */
  readonly directory: string
  readonly breaker: Breaker
  /** Send even a token that was refused a little while ago. */
  readonly force: boolean
  /** The profile is to change nothing from now on. */
  readonly isReadOnly: boolean
  /** A person sits there, and no program reads along. */
  readonly canAsk: boolean
  /** Takes each step for programs; `undefined` where a person is to read. */
  readonly emit?: Emit
  /** Says something to the person, unless programs are told of it. */
  say(text: string): void
}

export type Emit = (event: string, fields: Readonly<Record<string, unknown>>) => Promise<void>

/** Throws `SetupError('configuration')` where nothing could be kept. */
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
    directory: needed('config', places),
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
