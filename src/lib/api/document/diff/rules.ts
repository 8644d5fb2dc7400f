/** Tables of comparison rules, one for each field, and the walk that applies them. */

/** A difference between two documents. */
export interface DocumentChange {
  readonly change: 'added' | 'removed' | 'changed'
  /** Whether callers that use the old document fail with the new one. */
  readonly breaking: boolean
  /** The path in the new document; for removals, in the old one. */
  readonly place: string
  /** One sentence. */
  readonly text: string
}

/** The direction in which values of a schema are sent. */
export interface SchemaUse {
  /** To the service: removing a value that it accepts breaks callers. */
  readonly isSent: boolean
  /** From the service: adding a value that it returns breaks callers. */
  readonly isAnswered: boolean
  /** In a URL, where every value is text. */
  readonly isParameter?: boolean
}

/** The changes found so far, and facts about both documents. */
export interface DocumentComparison {
  readonly changes: DocumentChange[]
  /** Places of changed texts for people. */
  readonly texts: string[]
  /** Of the given method IDs of either document, those that both have, without the API's name. */
  readonly inBoth: (ids: readonly string[] | undefined, side: 'one' | 'other') => readonly string[]
}

/** The values of two documents at the same place. */
export interface Compared<T> {
  readonly one: T
  readonly other: T
  readonly place: string
  readonly way: SchemaUse
  readonly found: DocumentComparison
}

/** Records the differences at one place. */
export type Rule<V> = (pair: Compared<V>) => void

/** The rules for the fields to compare, in the order of the results. */
export type FieldRules<T> = {
  readonly [K in keyof T]?: (field: Compared<T[K]>, whole: Compared<T>) => void
}

/** Applies a table of rules. */
export function compareFields<T extends object>(rules: FieldRules<T>, whole: Compared<T>): void {
  for (const name of Object.keys(rules) as Array<keyof T & string>) {
    rules[name]!({...below(whole, name), one: whole.one[name], other: whole.other[name]}, whole)
  }
}

function below<T>(pair: Compared<T>, name: string): Compared<T> {
  return {...pair, place: pair.place === '' ? name : `${pair.place}.${name}`}
}

export function reportChange(
  {place, found}: Compared<unknown>,
  change: DocumentChange['change'],
  breaking: boolean,
  text: string,
): void {
  found.changes.push({change, breaking, place, text})
}

/** Records a change to some values, if there are any; `words` precede them. */
export function reportValues(
  pair: Compared<unknown>,
  change: DocumentChange['change'],
  breaking: boolean,
  words: string,
  values: readonly string[],
): void {
  if (values.length > 0) reportChange(pair, change, breaking, `${words} ${values.join(', ')}.`)
}

/** Compares single values; `breaks` says whether a change breaks callers. */
export function value<V>(breaks: boolean | ((pair: Compared<V>) => boolean)): Rule<V> {
  return pair => {
    const {one, other} = pair
    if (one === other) return
    const isBreaking = typeof breaks === 'boolean' ? breaks : breaks(pair)
    reportChange(
      pair,
      'changed',
      isBreaking,
      `Changed from ${valueText(one)} to ${valueText(other)}.`,
    )
  }
}

/** Compares booleans (default: false); `breaks` is the new value that breaks callers. */
export function flagRule(breaks?: boolean): Rule<boolean | undefined> {
  return ({one = false, other = false, ...pair}) =>
    value<boolean>(other === breaks)({...pair, one, other})
}

/** Compares texts for people: only the place of a difference is recorded. */
export const textRule: Rule<unknown> = ({one, other, place, found}) => {
  if (JSON.stringify(one) !== JSON.stringify(other)) found.texts.push(place)
}

/** Compares lists as sets; `breaks` says whether a removed entry breaks callers. */
export function listRule(breaks: boolean): Rule<readonly string[] | undefined> {
  return pair => {
    const {one = [], other = []} = pair
    reportValues(pair, 'removed', breaks, 'Removed:', withoutKeys(one, other))
    reportValues(pair, 'added', false, 'Added:', withoutKeys(other, one))
  }
}

type Map<V> = Readonly<Record<string, V>> | undefined

/** How the members of a map are compared. */
interface MemberRules<V> {
  /** The text for a removed member; without it removals are ignored. */
  readonly gone?: (value: V) => string
  /** The text for a new member, and whether it breaks callers. */
  readonly come?: (
    value: V,
    found: DocumentComparison,
  ) => readonly [text: string, breaking: boolean]
  readonly kept: (pair: Compared<V>, name: string) => void
  /** The place of a member (default: its name in the map). */
  readonly placeOf?: (value: V) => string
}

export function memberRules<V>({gone, come, kept, placeOf}: MemberRules<V>): Rule<Map<V>> {
  return ({one = {}, other = {}, ...pair}) => {
    const at = (name: string, before: V, after: V) => {
      const inner = below({...pair, one: before, other: after}, name)
      return placeOf ? {...inner, place: placeOf(after)} : inner
    }
    for (const [name, before] of Object.entries(one)) {
      if (Object.hasOwn(other, name)) kept(at(name, before, other[name]!), name)
      else if (gone) reportChange(at(name, before, before), 'removed', true, gone(before))
    }
    for (const [name, after] of Object.entries(other)) {
      if (Object.hasOwn(one, name) || !come) continue
      const [text, breaking] = come(after, pair.found)
      reportChange(at(name, after, after), 'added', breaking, text)
    }
  }
}

export function valueText(value: unknown): string {
  if (value === undefined) return 'nothing'
  return value === '' ? 'empty' : String(value)
}

/** The values that are not among the others. Uses a set, because there may be very many. */
export function withoutKeys(values: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others)
  return values.filter(value => !known.has(value))
}
