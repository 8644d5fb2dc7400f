import {BUILTIN_CLIENT_ID} from '#lib/api/wire.js'
import {
  type Config,
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
import {LOCAL_PROFILE} from '#lib/config/resolve.js'
import type {Settings} from '#lib/config/settings.js'
import {SetupError} from '#lib/platform/setup-error.js'
import {tryDirectory} from '#lib/platform/write-probe.js'
import {accountOf, type OpenStore, secretAccountOf, SERVICE} from './store/store.js'

/**
 * Keeping and forgetting a token, with the note in the configuration that says where it lies. Both
 * happen under the configuration's lock, so that what is stored and what is noted always agree.
 */

interface Keeping {
  readonly settings: Settings
  readonly openStore: OpenStore
  /** Directory of the configuration. */
  readonly directory: string
}

/**
 * Fails with `SetupError` unless a token can be kept in a store, and noted. To be asked before a person
 * is asked for anything: a token that cannot be kept is lost. Leaves everything as it was.
 */
export async function checkTokenStore(
  {settings, openStore, directory}: Keeping,
  store: StoreKind,
): Promise<void> {
  await tryDirectory(directory)
  await openStore(store).tryOut(SERVICE, accountOf(settings))
}

/**
 * Stores a token and notes where. It is read back through a fresh handle first: a keychain that
 * takes a token and loses it must not pass for success. `change` has its say in what else is noted.
 * Whether nothing is left behind where a token lay before: a keychain that is locked keeps its own.
 */
export function storeToken(
  {settings, openStore, directory}: Keeping,
  note: SignInNote,
  token: string,
  change: (config: Config) => Config = config => config,
): Promise<boolean> {
  const {profile, binding} = settings
  const {store} = note
  return lockConfig(directory, async () => {
    const config = await readConfig(directory)
    const account = accountOf(settings)
    await openStore(store).setPassword(SERVICE, account, token)
    if ((await openStore(store).getPassword(SERVICE, account)) !== token) {
      throw new SetupError(
        'keychain',
        `The token was stored, but it did not come back from the ${store}. To keep it in a file, run \`drv auth login --insecure-storage\`; or set DRV_TOKEN.`,
      )
    }
    await writeConfig(directory, change(withToken(config, profile, binding, note)))
    const before = noteOf(config, profile, binding)
    if (!before || before.store === store) return true
    const old = openStore(before.store)
    return old.deletePassword(SERVICE, account).then(
      () => true,
      () => false,
    )
  })
}

/**
 * Forgets a profile, with its tokens and the client secrets beside them; the built-in one is there
 * still. Fails before anything is changed where a store or the configuration cannot be.
 */
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
    for (const [binding, {store}] of notesIn(config)) {
      await openStore(store).deletePassword(SERVICE, accountOf({profile, binding}))
      await openStore(store).deletePassword(SERVICE, secretAccountOf({profile, binding}))
    }
    await writeConfig(directory, withoutProfile(config, profile))
  })
}

/**
 * Forgets a stored token, and the client secret kept beside it. Whether there was a token. With its
 * last token a profile loses the setting that it only reads.
 */
export function forgetToken({settings, openStore, directory}: Keeping): Promise<boolean> {
  const {profile, binding} = settings
  return lockConfig(directory, async () => {
    const config = await readConfig(directory)
    const note = noteOf(config, profile, binding)
    if (!note) return false
    const store = openStore(note.store)
    const existed = await store.deletePassword(SERVICE, accountOf(settings))
    await store.deletePassword(SERVICE, secretAccountOf(settings))
    await writeConfig(directory, withoutToken(config, profile, binding))
    return existed
  })
}

/**
 * What a sign-in notes about its profile. A new profile remembers the addresses it was signed in
 * to, and becomes the one in use where none was chosen; one that has addresses keeps them, and the
 * built-in profile never gets any.
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
