import {accountOf, type OpenStore, SERVICE} from '#lib/auth/store/store.js'
import type {Settings} from '#lib/config/settings.js'
import type {FoundToken, TokenSource} from './session.js'
import {commandSource} from './token-command.js'

/**
 * Where the token of some settings comes from: the environment, without opening a store, a command, or the store of this
 * profile and service, which is opened once, when a token is first asked for. Fails with `SetupError('keychain')` where that
 * cannot be read.
 */
export function tokenSource(input: {
  readonly settings: Settings
  readonly openStore: OpenStore
  /** Runs a line of the shell and gives what it prints. */
  readonly runCommand: (line: string) => Promise<string>
  /** Hears that the keychain gave the token. */
  readonly onKeychain?: () => Promise<void>
}): TokenSource {
  const {settings, openStore, runCommand, onKeychain} = input
  const {environmentToken, tokenCommand, signIn} = settings
  if (environmentToken !== undefined) {
    return {find: async () => ({token: environmentToken, source: 'DRV_TOKEN'})}
  }
  if (tokenCommand !== undefined) return commandSource(() => runCommand(tokenCommand))
  return {
    async find(): Promise<FoundToken | undefined> {
      if (signIn === undefined) return undefined
      const token = await openStore(signIn.store).getPassword(SERVICE, accountOf(settings))
      if (token === null) return undefined
      if (signIn.store === 'keychain') await onKeychain?.()
      return {token, source: signIn.store}
    },
  }
}
