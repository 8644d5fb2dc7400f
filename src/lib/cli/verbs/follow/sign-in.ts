import type {Context} from '#lib/cli/context/context.js'
import {freshContext} from '#lib/cli/context/fresh-context.js'
import type {Client} from '#lib/client/client.js'

/** Continues with a new sign-in when the service refuses the current one. */

/** How long to wait for a new sign-in, and the time between two looks for one, in milliseconds. */
const PATIENCE = 5 * 60_000
const PAUSE = 5000

/**
 * Returns a function that waits until the same user has signed in again, and resolves with a client for that sign-in;
 * with `undefined` if nobody has, or if the token does not come from a sign-in. Concurrent callers wait together.
 */
export function newSignIns(context: Context): () => Promise<Client | undefined> {
  const refused = new Set<string>()
  let current: Pick<Context, 'session'> = context
  let waiting: Promise<Client | undefined> | undefined

  /** The context of a sign-in that was not refused yet. */
  async function look(login: string | undefined): Promise<Context | undefined> {
    const fresh = await freshContext(context)
    const found = await tokenOf(fresh)
    const {user} = (await fresh.settings()).signIn ?? {}
    // Page tokens are those of an account.
    const isSame = login === undefined || user === undefined || user.login === login
    if (found !== undefined && !refused.has(found) && isSame) return fresh
    await fresh.close()
    return undefined
  }

  async function wait(): Promise<Client | undefined> {
    const {environmentToken, tokenCommand, signIn} = await context.settings()
    if (environmentToken !== undefined || tokenCommand !== undefined) return undefined
    const old = await tokenOf(current)
    if (old !== undefined) refused.add(old)
    let isNoted = false
    for (const end = context.now() + PATIENCE; context.now() < end; await context.sleep(PAUSE)) {
      const fresh = await look(signIn?.user?.login)
      if (fresh) {
        context.onEnd(() => fresh.close())
        current = fresh
        return fresh.client()
      }
      if (isNoted) continue
      isNoted = true
      context.note(
        'The service rejected the token. Run `drv auth login` in another terminal within 5 minutes to continue.',
      )
    }
    return undefined
  }

  return () => (waiting ??= wait().finally(() => (waiting = undefined)))
}

async function tokenOf({session}: Pick<Context, 'session'>): Promise<string | undefined> {
  const found = await (await session()).find().catch(() => undefined)
  return found?.token
}
