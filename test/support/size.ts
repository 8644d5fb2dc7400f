/**
 * Random tests find more in more rounds, and each run begins at another seed: a few rounds are enough for every run
 * of the suite. `TEST_FULL=1` runs all of them.
 */

/** Whether tests run at full size. */
export const isFull = process.env.TEST_FULL === '1'

/** The number of rounds, kills or items of a test: `all` with TEST_FULL=1, otherwise `few`. */
export function rounds(few: number, all: number): number {
  return isFull ? all : few
}
