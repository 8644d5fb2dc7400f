import type {Values} from '../arguments/input.js'

/** A command line as it was read. */
export interface Given {
  readonly args: Values
  readonly flags: Values
  /** What of the body has no flag. */
  readonly document?: Readonly<Record<string, unknown>>
}

/** One thing to do. */
export interface Item {
  /** What was given for it: a word, or a record. */
  readonly input: unknown
  /** Where that stands, for messages: `people.csv, line 4`; a word says it itself. */
  readonly place?: string
  /** The command line for it alone. */
  readonly given: Given
}

/** What was given and is nothing that can be done, with why. */
export interface BrokenItem extends Omit<Item, 'given'> {
  readonly error: unknown
}

export type AnyItem = Item | BrokenItem

/** What messages call an item. */
export function nameOf({input, place}: Pick<Item, 'input' | 'place'>): string {
  return place ?? (typeof input === 'string' ? input : JSON.stringify(input))
}
