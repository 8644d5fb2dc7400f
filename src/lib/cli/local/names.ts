import {CommandError} from '#lib/cli/terminal/errors.js'
import type {App} from '#lib/service/oauth/store/apps.js'
import type {Store} from '#lib/service/store/index.js'
import type {User} from '#lib/service/store/users.js'

/** What the commands of the embedded service call by name. Each throws `CommandError` for a name that nothing has. */

export async function knownApp(store: Store, clientId: string): Promise<App> {
  const {appById} = await import('#lib/service/oauth/store/apps.js')
  const app = appById(store, clientId)
  if (app) return app
  throw new CommandError(
    'notFound',
    `There is no app with the client ID ${clientId}.`,
    '`drv local app list` has them all.',
  )
}

export async function knownUser(store: Store, login: string): Promise<User> {
  const {userByLogin} = await import('#lib/service/store/users.js')
  const user = userByLogin(store, login)
  if (user) return user
  throw new CommandError(
    'notFound',
    `There is no user ${login}.`,
    '`drv local user list` has them all.',
  )
}
