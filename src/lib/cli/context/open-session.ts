import {createSession, type Session} from '#lib/auth/session.js'
import {stores} from '#lib/auth/store/stores.js'
import {tokenSource} from '#lib/auth/token-source.js'
import type {Settings} from '#lib/config/settings.js'
import type {Context} from './context.js'

/** What a session needs of a command. */
type SessionContext = Pick<Context, 'caches' | 'directories' | 'environment' | 'now' | 'signal'>

/** The token of some settings, which need not be those of the command. No store is opened before a token is asked for. */
export function openSession(context: SessionContext, settings: Settings): Session {
  const {caches, directories, environment, now, signal} = context
  const source = tokenSource({
    settings,
    openStore: stores(directories),
    async runCommand(line) {
      const {runTokenCommand} = await import('#lib/auth/token-command.js')
      return runTokenCommand(line, {environment, signal})
    },
    async onKeychain() {
      const {noteKeychain} = await import('./completion-file.js')
      await noteKeychain(caches, settings, now())
    },
  })
  return createSession({settings, source, now})
}
