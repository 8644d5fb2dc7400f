import type {LocalState} from './tree-node.js'

/** A local folder, by its remote ID, and a name in it. */
export type LocalPlace = Pick<LocalState, 'parent' | 'name'>

/** Finds items by their local places. It keeps a number for each place, because there may be millions. */
export interface PlaceIndex {
  /** The ID of the item at a place. */
  get(place: LocalPlace): string | undefined
  add(place: LocalPlace, id: string): void
  /** Removes an item from a place where it may be. */
  delete(place: LocalPlace, id: string): void
}

/** `placeOf` is where an item is, as far as it is known: different places may have the same number. */
export function createPlaceIndex(placeOf: (id: string) => LocalPlace | undefined): PlaceIndex {
  /** The IDs of the items at the places with a number; usually one. */
  const all = new Map<number, string | readonly string[]>()
  const idsAt = (number: number) => [all.get(number) ?? []].flat()

  return {
    get: place => idsAt(numberOf(place)).find(id => isSamePlace(placeOf(id), place)),
    add(place, id) {
      const number = numberOf(place)
      const ids = idsAt(number).filter(one => one !== id)
      all.set(number, ids.length === 0 ? id : [...ids, id])
    },
    delete(place, id) {
      const number = numberOf(place)
      const [first, ...others] = idsAt(number).filter(one => one !== id)
      if (first === undefined) all.delete(number)
      else all.set(number, others.length === 0 ? first : [first, ...others])
    },
  }
}

function isSamePlace(one: LocalPlace | undefined, other: LocalPlace): boolean {
  return one?.parent === other.parent && one.name === other.name
}

/** A hash of 30 bits (FNV-1a), which V8 stores without an object. */
function numberOf({parent, name}: LocalPlace): number {
  let hash = 0x811c9dc5
  for (const text of [parent, '/', name]) {
    for (let at = 0; at < text.length; at++) {
      hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
    }
  }
  return (hash >>> 2) & 0x3fffffff
}
