import {UsageError} from '#lib/cli/terminal/errors.js'

const MOST_AT_ONCE = 100

/** The number that `--concurrency` gives. Throws `UsageError`. */
export function concurrencyOf(text: unknown): number | undefined {
  if (text === undefined) return undefined
  const width = Number(text)
  if (/^\d{1,3}$/.test(String(text)) && width >= 1 && width <= MOST_AT_ONCE) return width
  throw new UsageError(
    `--concurrency must be a number from 1 to ${MOST_AT_ONCE}, not "${String(text)}".`,
  )
}
