import type {Parsed} from '#lib/cli/input/call-input.js'

/** One thing to do. */
export interface Item {
  /** What was given for it: a word, or a record. */
  readonly original: unknown
  /** Where that stands, for messages: `people.csv, line 4`; a word says it itself. */
  readonly place?: string
  /** The command line for it alone. */
  readonly given: Parsed
}

/** What was given and is nothing that can be done, with why. */
export interface BrokenItem extends Omit<Item, 'given'> {
  readonly error: unknown
}

export type AnyItem = Item | BrokenItem
