import {chooseOne} from '#lib/cli/terminal/confirm.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import type {App} from '#lib/service/oauth/store/apps.js'
import type {Store} from '#lib/service/store/index.js'
import type {User} from '#lib/service/store/users.js'
import type {Context} from './context.js'

/** Signs in to the local service without a browser. Its users have no passwords, so a login name is enough. */

/** The active users of the local service, oldest first. Throws `CommandError` if all are suspended. */
export async function activeUsers(store: Store): Promise<readonly [User, ...User[]]> {
  const {allUsers} = await import('#lib/service/store/users.js')
  const [first, ...others] = allUsers(store).filter(({suspended}) => !suspended)
  if (first) return [first, ...others]
  throw new CommandError(
    'conflict',
    'Every user of the local service is suspended.',
    'Run `drv local user suspend LOGIN --undo` or `drv local user create LOGIN`.',
  )
}

/** `ada (ada@example.com)` */
export function userLabel({login, email}: User): string {
  return `${login} (${email})`
}

/** Prompts for one of several users. `usual` is the login that is selected by default. */
export function chooseUser(
  question: string,
  users: readonly User[],
  {io, signal}: Pick<Context, 'io' | 'signal'>,
  usual?: string,
): Promise<User> {
  const choices = users.map(user => ({name: userLabel(user), value: user}))
  return chooseOne(
    question,
    choices,
    io,
    signal,
    users.find(({login}) => login === usual),
  )
}

const AGAIN = 'Start the sign-in again to get a new code.'

/** A pending user code and the app that requested it. */
export interface OpenCode {
  readonly app: App
  /** Full scope values. */
  readonly scopes: readonly string[]
  /** Throws `CommandError` if another user has decided meanwhile. */
  decide(state: 'authorized' | 'denied', user: User): void
}

/** Finds a pending user code. Throws `CommandError` for an unknown, used or expired code. `now` is in Unix ms. */
export async function findUserCode(store: Store, code: string, now: number): Promise<OpenCode> {
  const [{codeProblem, grantByUserCode}, {appById}, {decideGrant}, {scopesOf}] = await Promise.all([
    import('#lib/service/oauth/flows/device-flow.js'),
    import('#lib/service/oauth/store/apps.js'),
    import('#lib/service/oauth/store/grants.js'),
    import('#lib/service/oauth/tokens/token.js'),
  ])
  const grant = grantByUserCode(store, code)
  const used = () => new CommandError('conflict', `The code ${code} has already been used.`, AGAIN)
  const problem = codeProblem(grant, now)
  if (!grant || problem === 'unknown') {
    throw new CommandError(
      'notFound',
      `No sign-in is waiting for the code ${code}.`,
      'Check the code, and pass the same --data as to `drv local serve`.',
    )
  }
  if (problem === 'used') throw used()
  if (problem === 'expired') {
    throw new CommandError('conflict', `The code ${code} has expired.`, AGAIN)
  }
  return {
    app: appById(store, grant.client_id)!,
    scopes: scopesOf(grant),
    decide(state, user) {
      if (!decideGrant(store, grant, {state, user}, now)) throw used()
    },
  }
}
