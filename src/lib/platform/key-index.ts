/**
 * Finds numbers by keys that follow from them, such as the number of a node by its ID. It keeps 11 to 21 bytes for each,
 * and no keys, because there may be millions.
 */
export interface KeyIndex {
  /** A number with a key. */
  get(key: string): number | undefined
  /** Adds a number from 0 to 2³¹ − 1. */
  add(key: string, value: number): void
  /** Removes a number from a key under which it may be. */
  delete(key: string, value: number): void
}

/** Number of places of an empty index; always a power of two. */
const SMALLEST = 64
/** A place that was never used, and one whose number was removed. */
const FREE = -1
const REMOVED = -2

/**
 * `keyOf` is the present key of a number, if it has one: different keys may have the same hash. `seed`: a number of 32
 * bits; a random one, so that nobody can choose names with the same hash.
 */
export function createKeyIndex(
  keyOf: (value: number) => string | undefined,
  seed = Math.floor(Math.random() * 2 ** 32),
): KeyIndex {
  // A hash table with open addressing: a number is in the first place from its hash on that was not taken.
  let values = new Int32Array(SMALLEST).fill(FREE)
  let hashes = new Int32Array(SMALLEST)
  /** Number of places that are not free. */
  let used = 0

  function find(hash: number, isWanted: (value: number) => boolean): number | undefined {
    const last = values.length - 1
    for (let at = hash & last; values[at] !== FREE; at = (at + 1) & last) {
      const value = values[at]!
      if (value !== REMOVED && hashes[at] === hash && isWanted(value)) return at
    }
    return undefined
  }

  function place(hash: number, value: number): void {
    const last = values.length - 1
    let at = hash & last
    while (values[at]! >= 0) at = (at + 1) & last
    if (values[at] === FREE) used += 1
    values[at] = value
    hashes[at] = hash
  }

  /** Places all numbers again, so that at most half of the places are taken. */
  function resize(): void {
    const [before, hashOf] = [values, hashes]
    let size = SMALLEST
    const count = before.reduce((sum, value) => (value >= 0 ? sum + 1 : sum), 0)
    while (size < 2 * count) size *= 2
    values = new Int32Array(size).fill(FREE)
    hashes = new Int32Array(size)
    used = 0
    for (const [at, value] of before.entries()) if (value >= 0) place(hashOf[at]!, value)
  }

  return {
    get(key) {
      const at = find(hashOfKey(key, seed), value => keyOf(value) === key)
      return at === undefined ? undefined : values[at]
    },
    add(key, value) {
      const hash = hashOfKey(key, seed)
      if (find(hash, one => one === value) !== undefined) return
      if (used >= values.length * 0.75) resize()
      place(hash, value)
    },
    delete(key, value) {
      const at = find(hashOfKey(key, seed), one => one === value)
      if (at !== undefined) values[at] = REMOVED
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
      const number = hashOfKey(key)
      if (seen.has(number)) several.add(number)
      else seen.add(number)
    },
    isAgain(key) {
      if (!several.has(hashOfKey(key))) return false
      if (passed.has(key)) return true
      passed.add(key)
      return false
    },
  }
}

const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193

/** A hash of 30 bits (FNV-1a), which V8 stores without an object. */
function hashOfKey(text: string, seed = FNV_OFFSET): number {
  let hash = seed
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME)
  }
  return (hash >>> 2) & 0x3fffffff
}
