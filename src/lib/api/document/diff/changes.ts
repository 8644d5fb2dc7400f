/** What differs between two documents, while it is collected. */

/** Something that one document has otherwise than the other. */
export interface Change {
  readonly change: 'added' | 'removed' | 'changed'
  /** Whoever calls the service by the old document fails by the new one. */
  readonly breaking: boolean
  /** The names that lead there in the new document; of what was removed, in the old one. */
  readonly place: string
  /** A whole sentence. */
  readonly text: string
}

/** What two documents have each for themselves, so that they can be held against each other. */
export interface Comparison {
  readonly changes: Change[]
  /** The places of words for people that differ. */
  readonly texts: string[]
  /** A method's id, as each document gives it, in a form that is the same in both. */
  readonly oldKey: (id: string) => string
  readonly newKey: (id: string) => string
  /** Whether both documents have a method, by such a form of its id. */
  readonly isInBoth: (key: string) => boolean
  /** On which ways a schema is used, by its name. */
  readonly wayOf: (schema: string) => Way
}

/** Where values of a schema go. */
export interface Way {
  /** To the service: what it takes no more breaks a caller. */
  readonly isSent: boolean
  /** From the service: what it did not answer before breaks a caller. */
  readonly isAnswered: boolean
  /** They stand in an address, where all is text. */
  readonly isParameter?: boolean
}

export function tell(
  {changes}: Comparison,
  change: Change['change'],
  breaking: boolean,
  place: string,
  text: string,
): void {
  changes.push({change, breaking, place, text})
}

/** Remembers that words for people differ. */
export function compareTexts(
  {texts}: Comparison,
  place: string,
  one: object,
  other: object,
  names: readonly string[],
): void {
  for (const name of names) {
    const [before, after] = [one, other].map(all => JSON.stringify((all as Members)[name]))
    if (before !== after) texts.push(`${place}${place && '.'}${name}`)
  }
}

type Members = Readonly<Record<string, unknown>>

/** Tells of a field that holds one value. */
export function compareValue(
  found: Comparison,
  place: string,
  [before, after]: readonly [unknown, unknown],
  isBreaking: boolean,
): void {
  if (before === after) return
  tell(
    found,
    'changed',
    isBreaking,
    place,
    `It is ${wordFor(after)} now, and was ${wordFor(before)}.`,
  )
}

/** Tells of a fact that holds unless something says otherwise. */
export function compareFlag(
  found: Comparison,
  place: string,
  [before = false, after = false]: readonly [boolean | undefined, boolean | undefined],
  /** The value by which callers break. */
  breaks?: boolean,
): void {
  if (before !== after) compareValue(found, place, [before, after], after === breaks)
}

export function wordFor(value: unknown): string {
  if (value === undefined) return 'nothing'
  return value === '' ? 'empty' : String(value)
}

/** Those that are not among the others, which may be very many. */
export function without(values: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others)
  return values.filter(value => !known.has(value))
}

/** What is done with the members of two maps. */
interface Handling<T> {
  readonly removed: (name: string, value: T) => void
  readonly added: (name: string, value: T) => void
  readonly kept: (name: string, one: T, other: T) => void
}

export function compareMaps<T>(
  one: Readonly<Record<string, T>> = {},
  other: Readonly<Record<string, T>> = {},
  {removed, added, kept}: Handling<T>,
): void {
  for (const [name, value] of Object.entries(one)) {
    if (Object.hasOwn(other, name)) kept(name, value, other[name]!)
    else removed(name, value)
  }
  for (const [name, value] of Object.entries(other)) {
    if (!Object.hasOwn(one, name)) added(name, value)
  }
}
