import type {Context} from '#lib/cli/context/context.js'
import {createContext} from '#lib/cli/context/create-context.js'
import type {Client} from '#lib/client/client.js'

/** Continues with a new sign-in when the service refuses the current one. */

/** How long to wait for a new sign-in, and the time between two looks for one, in milliseconds. */
const PATIENCE = 5 * 60_000
const PAUSE = 5000

/**
 * Waits until someone has signed in again, and returns a client with that sign-in; `undefined` if
 * no one has, or if the token does not come from a sign-in.
 */
export async function waitForSignIn(
  context: Context,
  refused: ReadonlySet<string>,
): Promise<Client | undefined> {
  const {environmentToken, tokenCommand} = await context.settings()
  if (environmentToken !== undefined || tokenCommand !== undefined) return undefined
  let isNoted = false
  for (const end = context.now() + PATIENCE; context.now() < end;) {
    const fresh = createContext({...context, stop() {}})
    const found = await (await fresh.session()).find().catch(() => undefined)
    if (found && !refused.has(found.token)) {
      context.onEnd(() => fresh.close())
      return fresh.client()
    }
    await fresh.close()
    if (!isNoted) {
      context.note(
        'The service rejected the token. Run `drv auth login` in another terminal within 5 minutes to continue.',
      )
    }
    isNoted = true
    await context.sleep(PAUSE)
  }
  return undefined
}
