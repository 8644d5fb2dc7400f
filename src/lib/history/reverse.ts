import type {resourceSources} from '#lib/api/description/index.js'
import type {Reversal, Reverse, SentChange} from './reversal.js'
import {accessReversals} from './reverse-access.js'
import {fileReversals} from './reverse-files.js'
import {partReversals} from './reverse-parts.js'
import {placeReversals} from './reverse-places.js'

type Sources = typeof resourceSources

/** The operations with an unsafe HTTP method that only watch for changes. */
type Watching = 'files.watch' | 'changes.watch' | 'channels.stop'

/** The operations that change something. */
export type ChangingId = Exclude<
  {
    [R in keyof Sources]: {
      [V in keyof Sources[R] & string]: Sources[R][V] extends {readonly httpMethod: 'GET'}
        ? never
        : `${R}.${V}`
    }[keyof Sources[R] & string]
  }[keyof Sources],
  Watching
>

/** How each operation that changes something is reversed; one without an entry does not compile. */
export const REVERSALS: Readonly<Record<ChangingId, Reversal>> = {
  ...fileReversals,
  ...placeReversals,
  ...accessReversals,
  ...partReversals,
}

/** The reversal of an operation; `undefined` for an operation that drv knows only from a description. */
export function reversalOf(operation: string): Reversal | undefined {
  return Object.hasOwn(REVERSALS, operation) ? REVERSALS[operation as ChangingId] : undefined
}

/** How to reverse a change, or why it cannot be reversed. */
export function reverseOf(operation: string, change: SentChange): Reverse {
  const reversal = reversalOf(operation)
  if (!reversal) return {reason: `drv does not know how to reverse ${operation}`}
  return reversal.reverse(change)
}
