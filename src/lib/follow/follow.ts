import type {Client, Page} from '#lib/client/client.js'
import type {FollowCheckpoint, FollowPosition} from './checkpoint.js'
import {
  changeIdOf,
  CHANGES_FIELDS,
  type FollowedChange,
  interpretChange,
  type InterpretedChange,
  prepareChanges,
} from './interpret.js'
import type {KnownStates} from './known-states.js'
import {currentToken, learnRecords, listBelow, listDifferences} from './list-items.js'
import {createPlaces} from './places.js'
import {changesSince, nextChangesDelay, outageOf, type Polling} from './poll.js'
import {createWake} from './wake.js'

/** Follows changes from a checkpoint: interprets them, delivers them, and records the delivered ones. */

/** Receives changes in order. */
export interface ChangeReceiver {
  /** Resolves when it is ready for more; `done` resolves once the change was handed over. */
  accept(change: FollowedChange): Promise<{readonly done: Promise<void>}>
  /** Resolves when everything that was accepted has been handed over. */
  settle(): Promise<void>
}

export interface FollowOptions extends Pick<
  Polling,
  'sleep' | 'wake' | 'limits' | 'onOutage' | 'onRecovery'
> {
  readonly client: Client
  /** Resolves with a client that has a new sign-in; `undefined` to give up. */
  readonly onSignedOut: (error: unknown) => Promise<Client | undefined>
  /** Must have a beginning and a position. */
  readonly checkpoint: FollowCheckpoint
  readonly known: KnownStates
  readonly receiver: ChangeReceiver
  /** Whether to end once no changes are pending; then an outage is an error. */
  readonly isOnce: boolean
  /** Whether to leave out a change. */
  readonly isIgnored: (change: FollowedChange) => boolean
  /** Called after each request for changes. */
  readonly onPolled?: (hasChanges: boolean) => void
  /** Called when the service no longer accepts the page token, before the items are listed. */
  readonly onExpired: () => void
  readonly signal: AbortSignal
}

/** Milliseconds by which the clocks of the service and of this machine may differ. */
const CLOCK_MARGIN = 10 * 60_000

/**
 * Follows for ever or, with `isOnce`, until no changes are pending. Throws the errors of requests and
 * of the receiver; changes that were accepted may then still be handed over.
 */
export async function followChanges(following: FollowOptions): Promise<void> {
  let fail: (error: unknown) => void = () => undefined
  const failing = new Promise<never>((_, reject) => (fail = reject))
  // It may fail when nobody waits for it any more.
  failing.catch(() => undefined)
  await Promise.race([followUntil(following, failing, fail), failing])
}

async function followUntil(
  following: FollowOptions,
  failing: Promise<never>,
  fail: (error: unknown) => void,
): Promise<void> {
  const {checkpoint, known, receiver, isOnce, sleep, signal} = following
  const {roots, driveId, since} = checkpoint.beginning!
  /** Later items are new. The time of the latest change when nothing was pending, by the service's clock. */
  let newAfter = checkpoint.position!.latest ?? since - 1
  let latest = newAfter
  const isComplete = roots.length > 0
  const wake = following.wake ?? createWake()
  let current = following.client
  const client: Client = {
    ...current,
    call: (id, input) => current.call(id, input),
    batch: calls => current.batch(calls),
    pages: (id, input) => current.pages(id, input),
  }
  const onLearn: FollowCheckpoint['learn'] = (id, state) => checkpoint.learn(id, state)
  const rootIds = isComplete ? new Set(roots.map(({id}) => id)) : undefined
  const places = createPlaces({client, known, roots: rootIds, onLearn})
  const progress = createProgress(checkpoint, fail)
  let hasFailed = false
  failing.catch(() => {
    hasFailed = true
    wake.wake()
  })
  /** Throws the failure of the receiver, if any. */
  const checkFailure = async () => {
    if (hasFailed) await failing
  }

  /** Repeats requests until an outage is over. */
  async function patiently<T>(work: () => Promise<T>): Promise<T> {
    let delay: number | undefined
    for (;;) {
      try {
        return await work()
      } catch (error) {
        const outage = isOnce ? undefined : outageOf(error, true)
        if (!outage) throw error
        if (delay === undefined) following.onOutage?.(error)
        delay = nextChangesDelay(outage, delay)
        await sleep(delay)
        await checkFailure()
      }
    }
  }

  async function handOver(
    changes: readonly Page[],
    position: FollowPosition,
    isListed = false,
  ): Promise<void> {
    const fresh = changes.filter(change => !checkpoint.isDone(changeIdOf(change)))
    const page = progress.open(position)
    await patiently(() => prepareChanges(fresh, places))
    for (const change of fresh) {
      const found = interpretChange(change, {known, places, isComplete, newAfter, isListed})
      if (found.hasUnknownContents) {
        const records = await patiently(() => listBelow(client, [found.itemId], driveId, signal))
        learnRecords(records, known, onLearn)
      }
      const {event} = found
      if (!event || following.isIgnored(event)) {
        if (event || found.state) page.done(found)
        continue
      }
      const {done} = await receiver.accept(event)
      page.wait(done.then(() => page.done(found)))
      await checkFailure()
    }
    page.close()
  }

  const poll = (pageToken: string) =>
    changesSince({
      ...following,
      client,
      wake,
      pageToken,
      params: changesParams(driveId),
      isPatient: !isOnce,
      async onSignedOut(error) {
        const next = await following.onSignedOut(error)
        if (!next) return undefined
        current = next
        return client
      },
      async sleep(milliseconds, until) {
        await sleep(milliseconds, until)
        await checkFailure()
      },
    })

  for (let {token} = checkpoint.position!; ;) {
    for await (const page of poll(token)) {
      await checkFailure()
      if ('expired' in page) break
      const {changes, nextToken, isCurrent} = page
      following.onPolled?.(changes.length > 0)
      latest = Math.max(latest, ...changes.map(changeTime))
      const position = {token: nextToken, latest: isCurrent ? latest : newAfter}
      await handOver(changes, position)
      if (isCurrent) newAfter = latest
      if (!isOnce || !isCurrent) continue
      await receiver.settle()
      await checkFailure()
      return progress.settled()
    }
    following.onExpired()
    token = await patiently(() => currentToken(client, driveId))
    const modifiedAfter = newAfter < since ? since - CLOCK_MARGIN : newAfter
    const listing = {known, places, roots, driveId, modifiedAfter}
    const changes = await patiently(() => listDifferences(client, listing, signal))
    await handOver(changes, {token, latest: newAfter}, true)
  }
}

/** In Unix ms; 0 without a time. */
function changeTime({modificationDate}: Page): number {
  return Date.parse(String(modificationDate)) || 0
}

/** Parameters of `changes.list` for a follower of the account or of a shared drive. */
export function changesParams(driveId: string | undefined) {
  return {
    supportsAllDrives: 'true',
    includeItemsFromAllDrives: 'true',
    ...(driveId !== undefined && {driveId}),
    maxResults: '1000',
    fields: CHANGES_FIELDS,
  }
}

/** A page whose changes are being handed over. */
interface OpenPage {
  /** A change was handed over or left out. */
  done(change: InterpretedChange): void
  /** The page is not done before this. */
  wait(done: Promise<void>): void
  /** All of its changes were accepted. */
  close(): void
}

/**
 * Advances a checkpoint page by page, in order, once all changes of a page were handed over. Passes the
 * errors of handing over and of the checkpoint to `fail`.
 */
function createProgress(checkpoint: FollowCheckpoint, fail: (error: unknown) => void) {
  const pages: Array<{readonly done: string[]}> = []
  let advancing: Promise<void> = Promise.resolve()
  return {
    open(position: FollowPosition): OpenPage {
      const done: string[] = []
      const waiting: Array<Promise<void>> = []
      pages.push({done})
      return {
        done({changeId, itemId, state}) {
          done.push(changeId)
          checkpoint.handedOver(changeId, itemId, state)
        },
        wait(one) {
          one.catch(fail)
          waiting.push(one)
        },
        close() {
          advancing = Promise.all([advancing, ...waiting]).then(async () => {
            pages.shift()
            await checkpoint.advance(
              position,
              pages.flatMap(page => page.done),
            )
          })
          advancing.catch(fail)
        },
      }
    },
    /** Resolves when the pages so far are done. */
    settled: () => advancing,
  }
}
