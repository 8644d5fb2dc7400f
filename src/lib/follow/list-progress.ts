import type {FollowPosition, ListProgress} from './checkpoint.js'
import type {InterpretedChange} from './interpret.js'

/** A page whose changes are being handed over. */
export interface OpenPage {
  /** A change was left out. */
  leftOut(change: InterpretedChange): void
  /** A change was delivered, and is handed over when `done` resolves. */
  delivered(change: InterpretedChange, done: Promise<void>): void
  /** All of its changes were delivered or left out. */
  close(): void
}

/** The last delivery of each item that is not over, for all lists of changes. */
export type Deliveries = Map<string, Promise<void>>

/**
 * Advances a checkpoint page by page, in order, once all changes of a page were handed over. Passes the
 * errors of handing over and of the checkpoint to `fail`.
 */
export function createListProgress(
  list: ListProgress,
  {deliveries, fail}: {readonly deliveries: Deliveries; readonly fail: (error: unknown) => void},
) {
  const pages: Array<{readonly done: string[]}> = []
  let advancing: Promise<void> = Promise.resolve()
  return {
    open(position: FollowPosition): OpenPage {
      const done: string[] = []
      const waiting: Array<Promise<void>> = []
      pages.push({done})

      function record({changeId, itemId, state}: InterpretedChange): void {
        done.push(changeId)
        list.handedOver(changeId, itemId, state)
      }

      function deliver(change: InterpretedChange, over: Promise<void>): void {
        const recorded = over.then(() => record(change))
        const {itemId} = change
        deliveries.set(itemId, recorded)
        const end = () => {
          if (deliveries.get(itemId) === recorded) deliveries.delete(itemId)
        }
        recorded.then(end, end)
        recorded.catch(fail)
        waiting.push(recorded)
      }

      return {
        leftOut(change) {
          // Its state includes that of an earlier change, which could be lost otherwise.
          const earlier = deliveries.get(change.itemId)
          if (earlier) deliver(change, earlier)
          else record(change)
        },
        delivered: deliver,
        close() {
          advancing = Promise.all([advancing, ...waiting]).then(async () => {
            pages.shift()
            await list.advance(
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
