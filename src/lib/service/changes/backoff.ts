/**
 * What follows from changes lives here: reading what a follower asks for, and sending messages to
 * channels (reference: protocols.md, section 8). Noting changes, and the queue of the messages,
 * belong to ../store. This file: how replies to messages are taken, and when one is sent again.
 */

const SUCCESS = [200, 201, 202, 204, 102]
const TRY_AGAIN = [500, 502, 503, 504]

const FIRST_DELAY = 1000
const LONGEST_DELAY = 10 * 60_000
const MOST_ATTEMPTS = 15

/** What a receiver's status means for a message; `undefined` is a receiver that was not reached. */
export function outcomeOf(status: number | undefined): 'delivered' | 'retry' | 'dropped' {
  if (status === undefined || TRY_AGAIN.includes(status)) return 'retry'
  return SUCCESS.includes(status) ? 'delivered' : 'dropped'
}

/**
 * Unix ms of the next attempt after `attempts` failed ones, or `undefined` to give up: 1 s, 2 s,
 * 4 s … up to 10 min, each longer by up to a quarter, which `chance` (0 to 1) says.
 */
export function nextAttempt(attempts: number, now: number, chance: number): number | undefined {
  if (attempts >= MOST_ATTEMPTS) return undefined
  const delay = Math.min(FIRST_DELAY * 2 ** (attempts - 1), LONGEST_DELAY)
  return now + Math.round(delay * (1 + chance / 4))
}
