import {BUILTIN_CLIENT_ID} from '#lib/api/wire.js'
import {type StoredToken, writeRefreshToken, writeToken} from '#lib/auth/store/entries.js'
import {
  accountOf,
  type CredentialStore,
  type OpenStore,
  refreshAccountOf,
  secretAccountOf,
  SERVICE,
} from '#lib/auth/store/store.js'
import {
  type Config,
  LOCAL_PROFILE,
  lockConfig,
  noteOf,
  profileOf,
  readConfig,
  type SignInNote,
  type StoreKind,
  withoutProfile,
  withoutToken,
  withProfile,
  withToken,
  writeConfig,
} from '#lib/config/config.js'
import type {Settings} from '#lib/config/settings.js'
import {SetupError} from '#lib/platform/setup-error.js'
import {tryDirectory} from '#lib/platform/write-file.js'
import {lockTokens} from './renewal.js'

/** Storing and forgetting tokens and what the configuration notes of them, under its lock, so that both always agree. */

interface Keeping {
  readonly settings: Settings
  readonly openStore: OpenStore
  /** Directory of the configuration. */
  readonly directory: string
}

/** The tokens of a sign-in. */
export interface Tokens extends StoredToken {
  /** Kept where the note has a server that it is for. */
  readonly refreshToken?: string
}

/** Fails with `SetupError` unless a token can be stored and noted; changes nothing. Called before a person is asked for anything. */
export async function checkTokenStore(
  {settings, openStore, directory}: Keeping,
  store: StoreKind,
): Promise<void> {
  await tryDirectory(directory)
  await openStore(store).tryOut(SERVICE, accountOf(settings))
}

/**
 * Stores a token, reads it back through a fresh handle, and notes where it is; `change` adds to that. Returns whether no
 * older token is left behind in another store: a keychain that is locked keeps its own.
 */
export function storeToken(
  {settings, openStore, directory}: Keeping,
  note: SignInNote,
  tokens: Tokens,
  change: (config: Config) => Config = config => config,
): Promise<boolean> {
  const {profile, binding} = settings
  const {store} = note
  return lockConfig(directory, async () => {
    const config = await readConfig(directory)
    const before = noteOf(config, profile, binding)
    const place = openStore(store)
    // A renewal that is on its way must not be written over what comes here.
    await lockTokens(settings, place, async () => {
      const {server} = note
      const {refreshToken, ...token} = tokens
      // First what a renewal needs: a process that is killed meanwhile leaves no token that cannot be renewed.
      if (server && refreshToken !== undefined) {
        await writeRefreshToken(place, settings, {server, refreshToken})
      } else if (before?.server) await place.deletePassword(SERVICE, refreshAccountOf(settings))
      if (!(await writeToken(() => openStore(store), settings, token))) {
        throw new SetupError(
          'keychain',
          `The token was stored, but it did not come back from the ${store}. To keep it in a file, run \`drv auth login --insecure-storage\`; or set DRV_TOKEN.`,
        )
      }
    })
    await writeConfig(directory, change(withToken(config, profile, binding, note)))
    if (!before || before.store === store) return true
    return deleteEntries(openStore(before.store), settings, before).then(
      () => true,
      () => false,
    )
  })
}

/** Deletes what is kept of a sign-in, but for the client secret; returns whether there was a token. */
async function deleteEntries(
  store: CredentialStore,
  owner: {readonly profile: string; readonly binding: string},
  {server}: SignInNote,
): Promise<boolean> {
  return lockTokens(owner, store, async () => {
    if (server) await store.deletePassword(SERVICE, refreshAccountOf(owner))
    return store.deletePassword(SERVICE, accountOf(owner))
  })
}

/** Forgets a profile with its tokens and client secrets; fails before any change where a store or the configuration cannot. */
export async function forgetProfile(
  {openStore, directory}: Omit<Keeping, 'settings'>,
  profile: string,
): Promise<void> {
  const notesIn = (config: Config) => Object.entries(profileOf(config, profile)?.tokens ?? {})
  const kinds = notesIn(await readConfig(directory)).map(([, {store}]) => store)
  await tryDirectory(directory)
  // Under another name than a token's: an entry that is damaged can be deleted all the same.
  for (const kind of new Set(kinds)) await openStore(kind).tryOut(SERVICE, profile)
  await lockConfig(directory, async () => {
    const config = await readConfig(directory)
    for (const [binding, note] of notesIn(config)) {
      const store = openStore(note.store)
      await deleteEntries(store, {profile, binding}, note)
      await store.deletePassword(SERVICE, secretAccountOf({profile, binding}))
    }
    await writeConfig(directory, withoutProfile(config, profile))
  })
}

/** Forgets a stored token and its client secret; returns whether there was one. Without tokens a profile is not read-only. */
export function forgetToken({settings, openStore, directory}: Keeping): Promise<boolean> {
  const {profile, binding} = settings
  return lockConfig(directory, async () => {
    const config = await readConfig(directory)
    const note = noteOf(config, profile, binding)
    if (!note) return false
    const store = openStore(note.store)
    const existed = await deleteEntries(store, settings, note)
    await store.deletePassword(SERVICE, secretAccountOf(settings))
    await writeConfig(directory, withoutToken(config, profile, binding))
    return existed
  })
}

/**
 * What a sign-in notes about its profile: a new one gets the addresses, and is in use where none was chosen; one that has
 * addresses keeps them, and the built-in one never gets any.
 */
export function noteProfile(config: Config, settings: Settings): Config {
  const {profile, baseUrl, authUrl, clientId} = settings
  if (profile === LOCAL_PROFILE || profileOf(config, profile)?.baseUrl) return config
  const noted = withProfile(config, profile, known => ({
    ...known,
    baseUrl,
    authUrl,
    ...(clientId !== BUILTIN_CLIENT_ID && {clientId}),
  }))
  return {...noted, profile: config.profile ?? profile}
}
