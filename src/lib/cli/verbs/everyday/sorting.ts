import {Flags} from '@oclif/core'
import type {FlagValues} from '#lib/cli/input/call-input.js'
import type {Row} from '#lib/cli/output/format.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {byName} from './file-rows.js'

/** The flags that sort and limit rows. */

/** The field of each sort order. */
const SORTS = {
  name: 'title',
  size: 'fileSize',
  modified: 'modifiedDate',
  created: 'createdDate',
} as const

export const sortFlags = {
  sort: ranked(
    4,
    Flags.string({
      summary: 'Sort by name, size (largest first), modified or created (newest first).',
      options: Object.keys(SORTS),
    }),
  ),
  reverse: ranked(7, Flags.boolean({summary: 'Reverse the order.', char: 'r'})),
  limit: ranked(8, Flags.string({summary: 'Print at most N entries.', char: 'L', helpValue: 'N'})),
}

/** The order of rows. */
export interface Order {
  readonly compare: (one: Row, other: Row) => number
  /** Additional fields to request. */
  readonly extraFields: readonly string[]
}

/** The order in the flags, or `usual` without any. */
export function orderOf(
  {sort, reverse}: FlagValues,
  defaultOrder: (one: Row, other: Row) => number = byName,
): Order {
  const by = sort as keyof typeof SORTS | undefined
  const compare = by === undefined ? defaultOrder : comparison(by)
  return {
    compare: reverse ? (one, other) => compare(other, one) : compare,
    extraFields: by === undefined ? [] : [SORTS[by]],
  }
}

/** Largest or newest first, as in `ls -S` and `ls -t`; rows without a value last, equal rows by name. */
function comparison(by: keyof typeof SORTS): Order['compare'] {
  if (by === 'name') return byName
  const valueOf = ({[SORTS[by]]: value}: Row) =>
    by === 'size' ? Number(value ?? -1) : Date.parse(String(value)) || 0
  return (one, other) => valueOf(other) - valueOf(one) || byName(one, other)
}

/** The maximum number of rows, `Infinity` without `--limit`. Throws `UsageError`. */
export function limitIn({limit}: FlagValues): number {
  if (limit === undefined) return Infinity
  if (/^\d{1,9}$/.test(String(limit)) && Number(limit) > 0) return Number(limit)
  throw new UsageError(`Invalid --limit: must be a positive integer, not "${String(limit)}".`)
}
