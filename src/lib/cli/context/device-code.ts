import {chooseOne} from '#lib/cli/terminal/confirm.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import type {App} from '#lib/service/oauth/store/apps.js'
import type {Store} from '#lib/service/store/index.js'
import type {User} from '#lib/service/store/users.js'
import type {Context} from './context.js'

/** Sign-ins of the local service without a browser: its users have no password, so that saying who one is does. */

/** The users of the local service that are not suspended, the oldest first. Throws `CommandError` where there are none. */
export async function activeUsers(store: Store): Promise<readonly [User, ...User[]]> {
  const {allUsers} = await import('#lib/service/store/users.js')
  const [first, ...others] = allUsers(store).filter(({suspended}) => !suspended)
  if (first) return [first, ...others]
  throw new CommandError(
    'conflict',
    'Every user of the local service is suspended.',
    'Run `drv local user suspend LOGIN --undo`, or `drv local user create LOGIN`.',
  )
}

/** `ada (ada@example.com)` */
export function userLabel({login, email}: User): string {
  return `${login} (${email})`
}

/** One of several users, chosen at the terminal; `usual` is the login that Enter alone means. */
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

const AGAIN = 'Start the sign-in again to get another code.'

/** A user code that waits for a decision, and the app that asks. */
export interface OpenCode {
  readonly app: App
  /** Full scope values. */
  readonly scopes: readonly string[]
  /** Throws `CommandError` where somebody else has decided meanwhile. */
  decide(state: 'authorized' | 'denied', user: User): void
}

/** Finds a user code that waits for a decision. Throws `CommandError` where none does; `now` is in Unix ms. */
export async function findCode(store: Store, code: string, now: number): Promise<OpenCode> {
  const [{codeProblem, grantByUserCode}, {appById}, {decideGrant}, {scopesOf}] = await Promise.all([
    import('#lib/service/oauth/flows/device-flow.js'),
    import('#lib/service/oauth/store/apps.js'),
    import('#lib/service/oauth/store/grants.js'),
    import('#lib/service/oauth/tokens/token.js'),
  ])
  const grant = grantByUserCode(store, code)
  const used = () => new CommandError('conflict', `The code ${code} was already used.`, AGAIN)
  const problem = codeProblem(grant, now)
  if (!grant || problem === 'unknown') {
    throw new CommandError(
      'notFound',
      `No sign-in is waiting for the code ${code}.`,
      'Check the code, and pass the --data that `drv local serve` has.',
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
