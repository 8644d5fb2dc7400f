import {createSpill, SPILL_MEMORY, type SpillPlace} from './spill.js'
import {inGroups} from './values.js'

/** Sorts any number of values: sorted runs of them go to a temporary file, and are merged. */
export interface Sorter<V> {
  /** Adds a value, which must survive JSON. */
  add(value: V): void
  /** All values in order; equal ones in the order in which they were added. Throws the system's error. */
  sorted(): Iterable<V>
  close(): void
}

/** Number of values of a run that are read at a time. */
const PIECE = 200

export function createSorter<V>(
  compare: (one: V, other: V) => number,
  runSize = SPILL_MEMORY,
): Sorter<V> {
  const spill = createSpill<V>(0)
  const runs: Array<ReadonlyArray<SpillPlace<V>>> = []
  let values: V[] = []

  function endRun(): void {
    runs.push(inGroups(values.sort(compare), PIECE).map(spill.add))
    values = []
  }

  function* valuesOf(places: ReadonlyArray<SpillPlace<V>>): Generator<V> {
    for (const place of places) yield* spill.at(place)
  }

  return {
    add(value) {
      values.push(value)
      if (values.length === runSize) endRun()
    },
    sorted() {
      let all: Array<Iterable<V>> = [...runs.map(valuesOf), values.sort(compare)]
      while (all.length > 1) {
        all = inGroups(all, 2).map(([one, other]) => (other ? merged(one!, other, compare) : one!))
      }
      return all[0]!
    },
    close: spill.close,
  }
}

/** The values of two sorted lists in order; of equal ones, that of the first list comes first. */
function* merged<V>(
  one: Iterable<V>,
  other: Iterable<V>,
  compare: (one: V, other: V) => number,
): Generator<V> {
  const [left, right] = [one[Symbol.iterator](), other[Symbol.iterator]()]
  let [first, second] = [left.next(), right.next()]
  while (!first.done && !second.done) {
    if (compare(first.value, second.value) <= 0) {
      yield first.value
      first = left.next()
    } else {
      yield second.value
      second = right.next()
    }
  }
  for (; !first.done; first = left.next()) yield first.value
  for (; !second.done; second = right.next()) yield second.value
}
