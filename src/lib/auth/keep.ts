import {readConfig, withToken, writeConfig, type Config, type StoreKind} from '../config/config.js'
import {SetupError} from '../config/errors.js'
import type {Settings} from '../config/settings.js'
import {accountOf, SERVICE, type OpenStore} from './store/store.js'

/** Keeping and forgetting a token, with the note in the configuration that says where it lies. */

interface Keeping {
  readonly settings: Settings
  readonly openStore: OpenStore
  /** Directory of the configuration. */
  readonly directory: string
}

/**
 * Stores a token and notes where. It is read back through a fresh handle first: a keychain that
 * takes a token and loses it must not pass for success. `change` has its say in what else is noted.
 */
export async function keepToken(
  {settings, openStore, directory}: Keeping,
  kind: StoreKind,
  token: string,
  change: (config: Config) => Config = config => config,
): Promise<void> {
  const account = accountOf(settings)
  await openStore(kind).setPassword(SERVICE, account, token)
  if ((await openStore(kind).getPassword(SERVICE, account)) !== token) {
    throw new SetupError(
      'keychain',
      `The token was stored, but it did not come back from the ${kind}. To keep it in a file, run \`drv auth login --insecure-storage\`; or set DRV_TOKEN.`,
    )
  }
  const {profile, binding, tokenStore} = settings
  const config = withToken(await readConfig(directory), profile, binding, kind)
  await writeConfig(directory, change(config))
  // The old one would lie there for ever.
  if (tokenStore && tokenStore !== kind) {
    await openStore(tokenStore).deletePassword(SERVICE, account)
  }
}

/** Forgets a stored token. Whether there was one. */
export async function forgetToken({settings, openStore, directory}: Keeping): Promise<boolean> {
  const {profile, binding, tokenStore} = settings
  if (tokenStore === undefined) return false
  const existed = await openStore(tokenStore).deletePassword(SERVICE, accountOf(settings))
  const config = withToken(await readConfig(directory), profile, binding, undefined)
  await writeConfig(directory, config)
  return existed
}
