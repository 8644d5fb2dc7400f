import {Flags} from '@oclif/core'
import type {Values} from '#lib/cli/input/call-input.js'
import type {Row} from '#lib/cli/output/format.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {byName} from './file-rows.js'

/** The order of rows that a command line asks for, and how many of them. */

/** What rows are sorted by, with the field that says it. */
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

/** The order of the rows of a command line. */
export interface Order {
  readonly compare: (one: Row, other: Row) => number
  /** Fields that it needs besides those of rows. */
  readonly asks: readonly string[]
}

/** The order that the flags ask for; `usual` without any. */
export function orderOf(
  {sort, reverse}: Values,
  usual: (one: Row, other: Row) => number = byName,
): Order {
  const by = sort as keyof typeof SORTS | undefined
  const compare = by === undefined ? usual : comparison(by)
  return {
    compare: reverse ? (one, other) => compare(other, one) : compare,
    asks: by === undefined ? [] : [SORTS[by]],
  }
}

/** The greatest first, as `ls -S` and `ls -t` do; what has no such value last, and equal ones by name. */
function comparison(by: keyof typeof SORTS): Order['compare'] {
  if (by === 'name') return byName
  const valueOf = ({[SORTS[by]]: value}: Row) =>
    by === 'size' ? Number(value ?? -1) : Date.parse(String(value)) || 0
  return (one, other) => valueOf(other) - valueOf(one) || byName(one, other)
}

/** How many rows to print at most. Throws `UsageError`. */
export function limitIn({limit}: Values): number {
  if (limit === undefined) return Infinity
  if (/^\d{1,9}$/.test(String(limit)) && Number(limit) > 0) return Number(limit)
  throw new UsageError(`--limit must be a whole number from 1 on, not "${String(limit)}".`)
}
