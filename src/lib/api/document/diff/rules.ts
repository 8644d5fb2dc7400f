/** How two documents are held against each other: a rule for each field, in tables over one walk. */

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

/** Where values of a schema go. */
export interface Way {
  /** To the service: what it takes no more breaks a caller. */
  readonly isSent: boolean
  /** From the service: what it did not answer before breaks a caller. */
  readonly isAnswered: boolean
  /** They stand in an address, where all is text. */
  readonly isParameter?: boolean
}

/** What is found, and what is known of the two documents as a whole. */
export interface Comparison {
  readonly changes: Change[]
  /** The places of words for people that differ. */
  readonly texts: string[]
  /** Methods by the IDs of either document that both have, without the API's name. */
  readonly inBoth: (ids: readonly string[] | undefined, side: 'one' | 'other') => readonly string[]
}

/** What two documents have in the same place. */
export interface Pair<T> {
  readonly one: T
  readonly other: T
  readonly place: string
  readonly way: Way
  readonly found: Comparison
}

/** Tells what differs in one place. */
export type Rule<V> = (pair: Pair<V>) => void

/** A rule for each field that is compared, in the order in which differences are told. */
export type Rules<T> = {
  readonly [K in keyof T]?: (field: Pair<T[K]>, whole: Pair<T>) => void
}

/** Compares the fields of a table. */
export function compareFields<T extends object>(rules: Rules<T>, whole: Pair<T>): void {
  for (const name of Object.keys(rules) as Array<keyof T & string>) {
    rules[name]!({...below(whole, name), one: whole.one[name], other: whole.other[name]}, whole)
  }
}

function below<T>(pair: Pair<T>, name: string): Pair<T> {
  return {...pair, place: pair.place === '' ? name : `${pair.place}.${name}`}
}

export function tell(
  {place, found}: Pair<unknown>,
  change: Change['change'],
  breaking: boolean,
  text: string,
): void {
  found.changes.push({change, breaking, place, text})
}

/** Tells of values, where there are any; `words` stand before them. */
export function tellValues(
  pair: Pair<unknown>,
  change: Change['change'],
  breaking: boolean,
  words: string,
  values: readonly string[],
): void {
  if (values.length > 0) tell(pair, change, breaking, `${words} ${values.join(', ')}.`)
}

/** One value; `breaks` says whether another one breaks callers. */
export function value<V>(breaks: boolean | ((pair: Pair<V>) => boolean)): Rule<V> {
  return pair => {
    const {one, other} = pair
    if (one === other) return
    const isBreaking = typeof breaks === 'boolean' ? breaks : breaks(pair)
    tell(pair, 'changed', isBreaking, `It is ${wordFor(other)} now, and was ${wordFor(one)}.`)
  }
}

/** A fact that holds unless something says otherwise; `breaks` is the value by which callers break. */
export function flag(breaks?: boolean): Rule<boolean | undefined> {
  return ({one = false, other = false, ...pair}) =>
    value<boolean>(other === breaks)({...pair, one, other})
}

/** Words for people: that they differ is remembered. */
export const words: Rule<unknown> = ({one, other, place, found}) => {
  if (JSON.stringify(one) !== JSON.stringify(other)) found.texts.push(place)
}

/** A list of which each entry counts for itself; `breaks` says whether one that is gone does. */
export function entries(breaks: boolean): Rule<readonly string[] | undefined> {
  return pair => {
    const {one = [], other = []} = pair
    tellValues(pair, 'removed', breaks, 'No more there:', without(one, other))
    tellValues(pair, 'added', false, 'New:', without(other, one))
  }
}

type Map<V> = Readonly<Record<string, V>> | undefined

/** What is told of the members of a map. */
interface MemberRules<V> {
  /** Of one that is gone; without it nothing is. */
  readonly gone?: (value: V) => string
  /** Of one that is new, and whether that breaks callers. */
  readonly come?: (value: V, found: Comparison) => readonly [text: string, breaking: boolean]
  readonly kept: (pair: Pair<V>, name: string) => void
  /** Where a member stands, unless by its name in the map. */
  readonly placeOf?: (value: V) => string
}

export function members<V>({gone, come, kept, placeOf}: MemberRules<V>): Rule<Map<V>> {
  return ({one = {}, other = {}, ...pair}) => {
    const at = (name: string, before: V, after: V) => {
      const inner = below({...pair, one: before, other: after}, name)
      return placeOf ? {...inner, place: placeOf(after)} : inner
    }
    for (const [name, before] of Object.entries(one)) {
      if (Object.hasOwn(other, name)) kept(at(name, before, other[name]!), name)
      else if (gone) tell(at(name, before, before), 'removed', true, gone(before))
    }
    for (const [name, after] of Object.entries(other)) {
      if (Object.hasOwn(one, name) || !come) continue
      const [text, breaking] = come(after, pair.found)
      tell(at(name, after, after), 'added', breaking, text)
    }
  }
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
