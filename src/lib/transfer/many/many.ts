import {createSending} from './sending.js'
import type {Answered, Planned, SendMany} from './types.js'

/**
 * Many things that are done by one operation live here: sent through batches or side by side, tried
 * again, answered in order. What they are, and what is said of them, is for the caller to know.
 */

/**
 * Does what the source plans, and gives what came of each in its order. Groups are full while the
 * source is fast; when nothing is under way and the source has nothing at hand, what there is goes
 * out at once. The source is read a few groups ahead of what was consumed, and no farther.
 *
 * Until the service is known to take the token one thing is under way at a time: bad credentials
 * count one by one and lock their owner out. Changes of one file's permissions are in one batch or
 * one after the other, for of two at once one gets lost.
 *
 * What is refused for the rate, or fails in doubt and may be repeated, is tried again with what is
 * under way besides. An error that concerns all ends everything once what is under way has been
 * answered, and is thrown after the outcomes that there are, in order; the signal's reason likewise,
 * at once. What was sent and has no answer by then has that error as its outcome; what has no
 * outcome was never sent. With `failFast` it ends the same way, but throws nothing.
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
