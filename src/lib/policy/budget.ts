import {type Limits, PolicyError, type PolicyLimit, policyValueText} from '#lib/config/policy.js'

/** The cost of a change: how much of each limit it uses. */
export interface Cost {
  readonly changes: number
  /** Items that it trashes or deletes, with those in folders. */
  readonly deletions: number
  /** Bytes that it uploads. */
  readonly bytes: number
}

export const NO_COST: Cost = {changes: 0, deletions: 0, bytes: 0}

/** The sum of two costs; with `sign` -1, their difference. */
export function addCost(a: Cost, b: Cost, sign: 1 | -1 = 1): Cost {
  return {
    changes: a.changes + sign * b.changes,
    deletions: a.deletions + sign * b.deletions,
    bytes: a.bytes + sign * b.bytes,
  }
}

/** The error for a total cost beyond a limit; `undefined` within all limits. Pure. */
export function beyondLimits(
  {maxDelete, maxChanges, maxBytes}: Limits,
  {deletions, changes, bytes}: Cost,
): PolicyError | undefined {
  const isOver = (limit: PolicyLimit<number> | undefined, total: number) =>
    limit !== undefined && total > limit.value
  if (isOver(maxDelete, deletions)) {
    return new PolicyError(
      maxDelete!,
      `this command would trash or delete ${atLeast(deletions, 'item')}`,
    )
  }
  if (isOver(maxChanges, changes)) {
    return new PolicyError(maxChanges!, `this command would make ${atLeast(changes, 'change')}`)
  }
  if (isOver(maxBytes, bytes)) {
    const size = policyValueText(bytes, 'max-bytes')
    return new PolicyError(maxBytes!, `this command would upload at least ${size}`)
  }
  return undefined
}

/** Counting stops at the first step beyond a limit. */
function atLeast(number: number, noun: string): string {
  return `at least ${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`
}
