import {sizeText} from '#lib/cli/terminal/units.js'
import {printable} from '#lib/platform/sanitize.js'

/** What is about to go. */
export interface Going {
  /** Some of it, by name. */
  readonly names: readonly string[]
  readonly count: number
  /** There is more than was counted. */
  readonly isMore?: boolean
  /** Bytes of what was counted, as far as they are known. */
  readonly bytes?: number
}

/** Beyond this nobody counts on. */
export const MOST = 1000

/** Names that are told. */
const NAMES = 5

/** `3 things (4.2 MiB): a.txt, b.txt, c.txt`, `more than 1,000 things: a.txt, b.txt, …` */
export function goingText({names, count, isMore = false, bytes = 0}: Going): string {
  const size = bytes > 0 ? ` (${isMore ? 'at least ' : ''}${sizeText(bytes)})` : ''
  const shown = names.slice(0, NAMES).map(name => printable(name, 60))
  const rest = isMore || count > shown.length ? ['…'] : []
  const told = shown.length > 0 ? `: ${[...shown, ...rest].join(', ')}` : ''
  return `${countText(count, isMore)}${size}${told}`
}

function countText(count: number, isMore: boolean): string {
  const limit = MOST.toLocaleString('en')
  if (count > MOST) return `more than ${limit} things`
  if (isMore) return count === MOST ? `more than ${limit} things` : `at least ${count} things`
  return count === 1 ? '1 thing' : `${count.toLocaleString('en')} things`
}
