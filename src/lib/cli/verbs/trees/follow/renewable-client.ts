import type {Context} from '#lib/cli/context/context.js'
import {newSignIns} from '#lib/cli/verbs/follow/sign-in.js'
import type {Client} from '#lib/client/client.js'

/** A client that a follower keeps using after a new sign-in. */
export interface RenewableClient {
  readonly client: Client
  /** Waits until the same user has signed in again; false if nobody has. */
  renew(): Promise<boolean>
}

export function renewableClient(context: Context, first: Client): RenewableClient {
  const newSignIn = newSignIns(context)
  let current = first
  return {
    client: new Proxy(first, {get: (_, name) => Reflect.get(current, name) as unknown}),
    async renew() {
      const next = await newSignIn()
      current = next ?? current
      return next !== undefined
    },
  }
}
