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
  profileOf,
  readConfig,
  signInOf,
  type SignInRecord,
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

/** Stores and deletes tokens together with their entries in the configuration, under its lock, so that both always agree. */

interface Keeping {
  readonly settings: Settings
  readonly openStore: OpenStore
  /** Directory of the configuration. */
  readonly directory: string
}

/** The tokens of a sign-in. */
export interface Tokens extends StoredToken {
  /** Stored only if the configuration entry has a server. */
  readonly refreshToken?: string
}

/** Throws `SetupError` unless a token can be stored; changes nothing. Called before any prompt. */
export async function checkTokenStore(
  {settings, openStore, directory}: Keeping,
  store: StoreKind,
): Promise<void> {
  await tryDirectory(directory)
  await openStore(store).tryOut(SERVICE, accountOf(settings))
}

/**
 * Stores a token, reads it back through a fresh handle, and records its store in the configuration; `change` adds further
 * changes. Returns `false` if an older token stays behind in another store, such as a locked keychain.
 */
export function storeToken(
  {settings, openStore, directory}: Keeping,
  note: SignInRecord,
  tokens: Tokens,
  change: (config: Config) => Config = config => config,
): Promise<boolean> {
  const {profile, binding} = settings
  const {store} = note
  return lockConfig(directory, async () => {
    const config = await readConfig(directory)
    const before = signInOf(config, profile, binding)
    const target = openStore(store)
    // A running renewal must not overwrite this token.
    await lockTokens(settings, target, async () => {
      const {server} = note
      const {refreshToken, ...token} = tokens
      // The refresh token first: if the process is killed in between, no stored token lacks its refresh token.
      if (server && refreshToken !== undefined) {
        await writeRefreshToken(target, settings, {server, refreshToken})
      } else if (before?.server) await target.deletePassword(SERVICE, refreshAccountOf(settings))
      if (!(await writeToken(() => openStore(store), settings, token))) {
        throw new SetupError(
          'keychain',
          `Cannot store the token: reading it back from the ${store} failed. Run \`drv auth login --insecure-storage\` to store it in a file, or set DRV_TOKEN.`,
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

/** Deletes the tokens of a sign-in, but not the client secret; returns whether there was a token. */
async function deleteEntries(
  store: CredentialStore,
  owner: {readonly profile: string; readonly binding: string},
  {server}: SignInRecord,
): Promise<boolean> {
  return lockTokens(owner, store, async () => {
    if (server) await store.deletePassword(SERVICE, refreshAccountOf(owner))
    return store.deletePassword(SERVICE, accountOf(owner))
  })
}

/** Deletes a profile with its tokens and client secrets. Throws before any change if a store or the configuration is not writable. */
export async function forgetProfile(
  {openStore, directory}: Omit<Keeping, 'settings'>,
  profile: string,
): Promise<void> {
  const notesIn = (config: Config) => Object.entries(profileOf(config, profile)?.tokens ?? {})
  const kinds = notesIn(await readConfig(directory)).map(([, {store}]) => store)
  await tryDirectory(directory)
  // Tested under an unused name, so that a damaged entry can still be deleted.
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

/** Deletes a stored token and its client secret; returns whether there was a token. A profile without tokens is no longer read-only. */
export function forgetToken({settings, openStore, directory}: Keeping): Promise<boolean> {
  const {profile, binding} = settings
  return lockConfig(directory, async () => {
    const config = await readConfig(directory)
    const note = signInOf(config, profile, binding)
    if (!note) return false
    const store = openStore(note.store)
    const existed = await deleteEntries(store, settings, note)
    await store.deletePassword(SERVICE, secretAccountOf(settings))
    await writeConfig(directory, withoutToken(config, profile, binding))
    return existed
  })
}

/**
 * Records a sign-in in its profile. A new profile gets the addresses, and becomes the default if there is no
 * default yet. A profile
 * with addresses keeps them; the built-in profile never gets any.
 */
export function saveProfile(config: Config, settings: Settings): Config {
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
