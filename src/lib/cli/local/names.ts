import {CommandError} from '#lib/cli/terminal/errors.js'
import type {App} from '#lib/service/oauth/store/apps.js'
import type {Store} from '#lib/service/store/index.js'
import type {User} from '#lib/service/store/users.js'

/** Apps and users of the local service by name. Each function throws `CommandError` for an unknown name. */

export async function knownApp(store: Store, clientId: string): Promise<App> {
  const {appById} = await import('#lib/service/oauth/store/apps.js')
  const app = appById(store, clientId)
  if (app) return app
  throw new CommandError(
    'notFound',
    `No app has the client ID ${clientId}.`,
    'Run `drv local app list` to see all apps.',
  )
}

export async function knownUser(store: Store, login: string): Promise<User> {
  const {userByLogin} = await import('#lib/service/store/users.js')
  const user = userByLogin(store, login)
  if (user) return user
  throw new CommandError(
    'notFound',
    `No user has the login "${login}".`,
    'Run `drv local user list` to see all users.',
  )
}
