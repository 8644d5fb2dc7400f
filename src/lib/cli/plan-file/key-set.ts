/** Bits in one block. */
const BLOCK = 1024

/** A set of step keys in a few bits each, because a plan can have millions. */
export function createKeySet() {
  const blocks = new Map<number, Uint32Array>()
  let size = 0
  return {
    has(key: number): boolean {
      const block = blocks.get(Math.floor(key / BLOCK))
      return block !== undefined && (block[(key % BLOCK) >>> 5]! & (1 << (key & 31))) !== 0
    },
    /** Adds a key; false if the set has it. */
    add(key: number): boolean {
      const at = Math.floor(key / BLOCK)
      let block = blocks.get(at)
      if (!block) blocks.set(at, (block = new Uint32Array(BLOCK / 32)))
      const word = (key % BLOCK) >>> 5
      const bit = 1 << (key & 31)
      if ((block[word]! & bit) !== 0) return false
      block[word]! |= bit
      size += 1
      return true
    },
    size: () => size,
  }
}

export type KeySet = ReturnType<typeof createKeySet>
