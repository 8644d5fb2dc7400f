import type {Answered, Planned, SendMany} from './queue.js'
import {createSending} from './sending.js'

/**
 * Carries out planned steps and returns their outcomes in the order of the source. Batches are full while
 * the source is fast; if nothing is pending and the source has nothing available, queued calls are sent
 * at once. The source is read only a few batches ahead of the outcomes taken.
 *
 * Until the token is proven, only one request is sent at a time: every request with a bad token counts,
 * and several lock the user out. Changes to the permissions of one file are sent in one batch or in
 * sequence, because of two concurrent ones one gets lost.
 *
 * Calls that hit a rate limit, or failed and may be repeated, are retried with the others. An error that
 * concerns all items ends the run after the pending requests, and is thrown after the available
 * outcomes; an aborted signal ends it at once. Items that were sent but not answered get that error as
 * their outcome; items without an outcome were never sent. `failFast` ends the run in the same way, but
 * throws nothing.
 */
export async function* sendMany(
  source: AsyncIterable<Planned>,
  options: SendMany,
): AsyncGenerator<Answered, void, undefined> {
  const sending = createSending(source[Symbol.asyncIterator](), options)
  try {
    for (;;) {
      const answered = sending.take()
      if (answered) yield answered
      else if (sending.isOver()) break
      else await sending.change()
    }
    yield* sending.rest()
    sending.check()
  } finally {
    sending.close()
  }
}
