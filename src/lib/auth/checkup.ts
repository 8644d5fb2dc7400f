import {createSender, type SenderOptions} from '#lib/client/request.js'
import {type Who, who} from '#lib/client/who.js'
import type {Settings} from '#lib/config/settings.js'
import {createBreaker} from './breaker.js'
import {type FoundToken, notSignedIn, type Session} from './session.js'

/** How a profile's sign-in does. */
export interface Checkup {
  readonly found?: FoundToken
  readonly user?: Who
  /** Why it does not work. */
  readonly problem?: Error
}

/**
 * Looks for a profile's token and asks the service whether it works. Never fails: what goes wrong
 * is part of the answer. A token that was refused a little while ago is not sent again.
 */
export async function checkUp(
  settings: Settings,
  session: Session,
  sending: () => Promise<Omit<SenderOptions, 'token' | 'guard'>>,
  {state, now}: {state: string | undefined; now: () => number},
): Promise<Checkup> {
  let found: FoundToken | undefined
  try {
    found = await session.find()
    if (!found) return {problem: notSignedIn(settings)}
    const {token} = found
    const guard = createBreaker({state, binding: settings.binding, now})
    const sender = createSender({...(await sending()), token: async () => token, guard})
    return {found, user: await who(sender)}
  } catch (problem) {
    return {found, problem: problem as Error}
  }
}
