import {createSpill, SPILL_MEMORY, type SpillPlace} from '#lib/platform/spill.js'
import {parseJson} from '#lib/platform/values.js'
import type {ItemState} from './known.js'

/** The known states of items, by ID. */
export interface KnownStates {
  readonly size: number
  get(id: string): ItemState | undefined
  has(id: string): boolean
  set(id: string, state: ItemState): void
  delete(id: string): void
  ids(): Iterable<string>
  close(): void
}

/** States on disk that were replaced or deleted, after which the others are written anew. */
const OUTDATED = 100_000

/**
 * Keeps each state as its JSON, which takes a quarter of the memory of an object; those of many items on disk.
 */
export function createKnownStates(mostInMemory = SPILL_MEMORY): KnownStates {
  const all = new Map<string, string | SpillPlace<ItemState>>()
  let spill = createSpill<ItemState>(0)
  let spilled = 0

  function spillState(id: string, state: ItemState): void {
    all.set(id, spill.add([state]))
    spilled += 1
  }

  /** Replaces the file when most of it is outdated. */
  function compact(): void {
    const old = spill
    spill = createSpill(0)
    spilled = 0
    for (const [id, value] of all) {
      if (typeof value !== 'string') spillState(id, old.at(value)[0]!)
    }
    old.close()
  }

  return {
    get size() {
      return all.size
    },
    get(id) {
      const value = all.get(id)
      if (value === undefined) return undefined
      return typeof value === 'string' ? (parseJson(value) as ItemState) : spill.at(value)[0]
    },
    has: id => all.has(id),
    set(id, state) {
      if (all.size < mostInMemory) all.set(id, JSON.stringify(state))
      else {
        spillState(id, state)
        if (spilled > 2 * all.size + OUTDATED) compact()
      }
    },
    delete: id => void all.delete(id),
    ids: () => all.keys(),
    close: () => spill.close(),
  }
}
