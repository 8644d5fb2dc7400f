import type {Client} from '#lib/client/client.js'
import {type FollowCheckpoint, listsOf} from './checkpoint.js'
import {followList} from './follow-list.js'
import type {FollowOptions} from './follow-options.js'
import type {Deliveries} from './list-progress.js'
import {createPlaces} from './places.js'

/** Follows changes from a checkpoint: interprets them, delivers them, and records the delivered ones. */

/**
 * Follows all lists of changes side by side until an error or, with `isOnce`, until no changes are pending. The changes
 * of a list stay in order. Throws the errors of requests and of the receiver; changes that were accepted may then still
 * be handed over.
 */
export async function followChanges(following: FollowOptions): Promise<void> {
  const {checkpoint, known, receiver} = following
  const {roots} = checkpoint.beginning!
  let fail: (error: unknown) => void = () => undefined
  let hasFailed = false
  const failing = new Promise<never>((_, reject) => (fail = reject))
  // It may fail when nothing waits for it anymore.
  failing.catch(() => (hasFailed = true))
  const {client, onSignedOut} = renewableClient(following)
  const shared = {
    ...following,
    ...outagesOf(following),
    ...{client, onSignedOut, failing, fail},
    onLearn: (...learned: Parameters<FollowCheckpoint['learn']>) => checkpoint.learn(...learned),
    async checkFailure() {
      if (hasFailed) await failing
    },
    deliveries: new Map() as Deliveries,
  }
  const rootIds = roots.length > 0 ? new Set(roots.map(({id}) => id)) : undefined
  const places = createPlaces({...shared, known, roots: rootIds})

  async function followAll(): Promise<void> {
    const lists = listsOf(checkpoint.beginning!)
    const progress = await Promise.all(lists.map(list => followList({...shared, places, list})))
    await receiver.settle()
    await shared.checkFailure()
    await Promise.all(progress.map(({settled}) => settled()))
  }
  await Promise.race([followAll(), failing])
}

/** A client that all lists share, and that continues with a new sign-in. */
function renewableClient({client: first, onSignedOut}: FollowOptions) {
  let current = first
  const client: Client = {
    ...first,
    call: (id, input) => current.call(id, input),
    batch: calls => current.batch(calls),
    pages: (id, input) => current.pages(id, input),
  }
  return {
    client,
    async onSignedOut(error: unknown): Promise<Client | undefined> {
      const next = await onSignedOut(error)
      if (next) current = next
      return next && client
    },
  }
}

/** Reports an outage once for all lists, and its end. */
function outagesOf({onOutage, onRecovery}: Pick<FollowOptions, 'onOutage' | 'onRecovery'>) {
  const failing = new Set<object>()
  return {
    onListOutage(list: object, error: unknown): void {
      if (failing.size === 0) onOutage?.(error)
      failing.add(list)
    },
    onListRecovery(list: object): void {
      if (failing.delete(list) && failing.size === 0) onRecovery?.()
    },
  }
}
