import type {Page} from '#lib/client/client.js'
import type {ChangeList, FollowPosition} from './checkpoint.js'
import type {FollowOptions} from './follow-options.js'
import {changeIdOf, changesParams, interpretChange, prepareChanges} from './interpret.js'
import {currentToken, learnRecords, listBelow, listDifferences} from './list-items.js'
import {createListProgress, type Deliveries} from './list-progress.js'
import type {Places} from './places.js'
import {changesSince, nextChangesDelay, outageOf} from './poll.js'

/** Follows one list of changes: that of the account, or of a shared drive. */

export interface ListFollowing extends FollowOptions {
  readonly list: ChangeList
  readonly places: Places
  readonly deliveries: Deliveries
  readonly onLearn: FollowOptions['checkpoint']['learn']
  /** Ends all lists with an error. */
  readonly fail: (error: unknown) => void
  /** Rejects with that error. */
  readonly failing: Promise<never>
  readonly checkFailure: () => Promise<void>
  /** `list` identifies the list of changes. */
  readonly onListOutage: (list: object, error: unknown) => void
  readonly onListRecovery: (list: object) => void
}

/** Milliseconds by which the clocks of the service and of this machine may differ. */
const CLOCK_MARGIN = 10 * 60_000

/**
 * Follows until an error or, with `isOnce`, until no changes are pending; then resolves with the progress, which may
 * not be settled yet.
 */
export async function followList(
  following: ListFollowing,
): Promise<Pick<ReturnType<typeof createListProgress>, 'settled'>> {
  const {client, checkpoint, known, places, receiver, list, isOnce, sleep, signal} = following
  const {checkFailure, onListOutage, onListRecovery, onLearn} = following
  const {since, from, ...beginning} = checkpoint.beginning!
  const roots = beginning.roots.filter(({driveId}) => driveId === list)
  const isComplete = roots.length > 0
  const listProgress = checkpoint.of(list)
  /** The time of the latest change, by the service's clock. */
  let {latest} = listProgress.position!
  /** Items created later are new: since nothing was pending, or since the start by the clock of this machine. */
  let newAfter = latest ?? since - 1
  const progress = createListProgress(listProgress, following)
  const polling = following.polling(list)
  following.failing.catch(() => polling.wake.wake())

  /** Repeats requests until an outage is over. */
  async function patiently<T>(work: () => Promise<T>): Promise<T> {
    for (let delay: number | undefined; ;) {
      try {
        const result = await work()
        if (delay !== undefined) onListRecovery(progress)
        return result
      } catch (error) {
        const outage = isOnce ? undefined : outageOf(error, true)
        if (!outage) throw error
        onListOutage(progress, error)
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
    const fresh = changes.filter(change => !listProgress.isDone(changeIdOf(change)))
    const page = progress.open(position)
    await patiently(() => prepareChanges(fresh, following))
    for (const change of fresh) {
      const found = interpretChange(change, {known, places, isComplete, newAfter, isListed})
      const {event, state, itemId} = found
      if (found.hasUnknownContents) {
        const records = await patiently(() => listBelow(client, [itemId], state?.driveId, signal))
        learnRecords(records, known, onLearn)
      }
      if (!event || following.isIgnored(event)) {
        if (event || state) page.leftOut(found)
        continue
      }
      const {done} = await receiver.accept(event)
      page.delivered(found, done)
      await checkFailure()
    }
    page.close()
  }

  const poll = (pageToken: string) =>
    changesSince({
      ...following,
      ...polling,
      pageToken,
      params: changesParams(list),
      isPatient: !isOnce,
      onOutage: error => onListOutage(progress, error),
      onRecovery: () => onListRecovery(progress),
      async sleep(milliseconds, until) {
        await sleep(milliseconds, until)
        await checkFailure()
      },
    })

  for (let {token} = listProgress.position!; ;) {
    for await (const page of poll(token)) {
      await checkFailure()
      if ('expired' in page) break
      const {changes, nextToken, isCurrent} = page
      polling.onPolled?.(changes.length > 0)
      const times = changes.map(changeTime).filter(time => time > 0)
      // All of them came after the start, so the clock of this machine may be ahead.
      const isByClock = latest === undefined && from === undefined
      if (isByClock) newAfter = Math.min(newAfter, ...times.map(time => time - 1))
      if (times.length > 0) latest = Math.max(latest ?? 0, ...times)
      await handOver(changes, {token: nextToken, latest: isCurrent ? latest : newAfter})
      if (isCurrent) newAfter = latest ?? newAfter
      if (isOnce && isCurrent) return progress
    }
    following.onExpired()
    token = await patiently(() => currentToken(client, list))
    const modifiedAfter = newAfter < since ? since - CLOCK_MARGIN : newAfter
    const listing = {known, places, roots, modifiedAfter}
    const changes = await patiently(() => listDifferences(client, listing, signal))
    await handOver(changes, {token, latest: newAfter}, true)
  }
}

/** In Unix ms; 0 without a time. */
function changeTime({modificationDate}: Page): number {
  return Date.parse(String(modificationDate)) || 0
}
