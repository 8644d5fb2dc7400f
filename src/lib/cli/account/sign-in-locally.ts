import {signInWithDevice} from '#lib/auth/flows/device.js'
import type {TokenGrant} from '#lib/auth/server/responses.js'
import {activeUsers, chooseUser, findUserCode, userLabel} from '#lib/cli/context/device-code.js'
import {openData} from '#lib/cli/context/local-service.js'
import {isAgreed} from '#lib/cli/terminal/confirm.js'
import {Interrupted} from '#lib/cli/terminal/errors.js'
import type {Store} from '#lib/service/store/index.js'
import type {User} from '#lib/service/store/users.js'
import type {SignInFlow} from './open-auth-server.js'
import type {SignInContext} from './sign-in-context.js'

/**
 * Signs in to the local service without a browser: its users have no passwords, so drv prompts for the user and approves
 * its own code.
 */
export async function signInLocally(
  signInContext: SignInContext,
  {server, scopes, blame}: SignInFlow,
): Promise<TokenGrant> {
  const {context} = signInContext
  const store = await openData(undefined, context)
  const user = await chosenUser(signInContext, store)
  return signInWithDevice({
    server,
    scopes,
    now: context.now,
    // The code is approved before the first poll.
    sleep: async () => undefined,
    async onEvent(event) {
      if (event.event !== 'authorization_required') return
      const code = await findUserCode(store, event.code.userCode, context.now())
      code.decide('authorized', user)
    },
  }).catch(blame)
}

async function chosenUser({context, settings}: SignInContext, store: Store): Promise<User> {
  const {io, signal} = context
  const users = await activeUsers(store)
  if (users.length > 1) {
    return chooseUser('Sign in as', users, context, settings.signIn?.user?.login)
  }
  const [user] = users
  if (await isAgreed(`Sign in as ${userLabel(user)}?`, io, signal, true)) return user
  throw new Interrupted(
    'Not signed in.',
    'To create another user, run `drv local user create LOGIN`; to use a browser, run `drv auth login --web`.',
  )
}
