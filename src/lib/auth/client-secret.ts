import {BUILTIN_CLIENT_ID, BUILTIN_CLIENT_SECRET} from '#lib/api/wire.js'
import type {ProfileServer, StoreKind} from '#lib/config/config.js'
import type {Settings} from '#lib/config/settings.js'
import {SetupError} from '#lib/platform/setup-error.js'
import {type OpenStore, secretAccountOf, SERVICE} from './store/store.js'

/** The secret of the app, and whether a person typed it just now. */
export interface ClientSecret {
  readonly secret: string
  readonly isTyped: boolean
}

/**
 * The client secret of the app in use: built in, from DRV_CLIENT_SECRET, stored, or typed by a person; never from argv,
 * where histories and `ps` show it. `undefined` for an app without a secret.
 */
export async function findClientSecret(input: {
  readonly settings: Settings
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly openStore: OpenStore
  /** The store of this sign-in; `undefined` without one. */
  readonly store: StoreKind | undefined
  /** Prompts without echoing the input; `undefined` without a terminal. */
  readonly ask?: (question: string) => Promise<string>
}): Promise<ClientSecret | undefined> {
  const {settings, environment, openStore, store, ask} = input
  const {clientId} = settings
  const known =
    environment.DRV_CLIENT_SECRET ||
    (clientId === BUILTIN_CLIENT_ID && BUILTIN_CLIENT_SECRET) ||
    (store && (await openStore(store).getPassword(SERVICE, secretAccountOf(settings))))
  if (known) return {secret: known.trim(), isTyped: false}
  const typed = (
    await ask?.(`Client secret of the app ${clientId} (empty if it has none):`)
  )?.trim()
  return typed ? {secret: typed, isTyped: true} : undefined
}

/** The client secret that a recorded server expects; `undefined` if it expects none, or none is found. */
export async function secretForServer(
  {clientId, secret}: ProfileServer,
  {settings, ...input}: Omit<Parameters<typeof findClientSecret>[0], 'ask'>,
): Promise<string | undefined> {
  if (secret === undefined) return undefined
  return (await findClientSecret({...input, settings: {...settings, clientId}}))?.secret
}

/** Like `findClientSecret`, but throws `SetupError('configuration')` if no secret is found. */
export async function requireClientSecret(
  input: Parameters<typeof findClientSecret>[0],
): Promise<ClientSecret> {
  const found = await findClientSecret(input)
  if (found) return found
  throw new SetupError(
    'configuration',
    `Missing client secret of the app ${input.settings.clientId}. Set DRV_CLIENT_SECRET, or run the command in a terminal.`,
  )
}

/** Stores a client secret next to the token of the profile. */
export async function keepClientSecret(
  settings: Settings,
  openStore: OpenStore,
  store: StoreKind,
  secret: string,
): Promise<void> {
  await openStore(store).setPassword(SERVICE, secretAccountOf(settings), secret)
}
