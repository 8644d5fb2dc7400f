/**
 * Finds values by keys that follow from them. It keeps a number for each key, and no keys, because there may be
 * millions.
 */
export interface KeyIndex<V> {
  /** The first value with a key. */
  get(key: string): V | undefined
  add(key: string, value: V): void
  /** Removes a value from a key under which it may be. */
  delete(key: string, value: V): void
}

/** `keyOf` is the present key of a value, if it has one: different keys may have the same number. */
export function createKeyIndex<V>(keyOf: (value: V) => string | undefined): KeyIndex<V> {
  const first = new Map<number, V>()
  /** The further values with the same number. */
  const others = new Map<number, readonly V[]>()

  const allAt = (number: number): readonly V[] =>
    first.has(number) ? [first.get(number)!, ...(others.get(number) ?? [])] : []

  function setAll(number: number, [one, ...rest]: readonly V[]): void {
    if (one === undefined) first.delete(number)
    else first.set(number, one)
    if (rest.length === 0) others.delete(number)
    else others.set(number, rest)
  }

  return {
    get: key => allAt(numberOf(key)).find(value => keyOf(value) === key),
    add(key, value) {
      const number = numberOf(key)
      setAll(number, [...allAt(number).filter(one => one !== value), value])
    },
    delete(key, value) {
      const number = numberOf(key)
      setAll(
        number,
        allAt(number).filter(one => one !== value),
      )
    },
  }
}

/** Finds repetitions among any number of keys. */
export interface Repetitions {
  /** Notes a key. */
  saw(key: string): void
  /** Whether a key that was noted several times has been passed before. Call it after all were noted. */
  isAgain(key: string): boolean
}

export function createRepetitions(): Repetitions {
  const seen = new Set<number>()
  /** The numbers of several keys: of the same ones, or of different ones by chance. */
  const several = new Set<number>()
  const passed = new Set<string>()
  return {
    saw(key) {
      const number = numberOf(key)
      if (seen.has(number)) several.add(number)
      else seen.add(number)
    },
    isAgain(key) {
      if (!several.has(numberOf(key))) return false
      if (passed.has(key)) return true
      passed.add(key)
      return false
    },
  }
}

/** A hash of 30 bits (FNV-1a), which V8 stores without an object. */
function numberOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return (hash >>> 2) & 0x3fffffff
}
