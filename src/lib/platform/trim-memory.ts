import {getHeapStatistics, setFlagsFromString} from 'node:v8'
import {runInNewContext} from 'node:vm'

/**
 * Returns the memory that a command needed only to start, for one that then waits for days: drops code
 * that did not run lately, and compacts the heap. Takes 30 ms. V8 does this by itself only under load.
 */
export function trimMemory(): void {
  withFlags(['expose-gc', 'stress-flush-code', 'compact-on-every-full-gc'], () => collector()())
}

/** The heap in bytes from which on garbage is limited. */
const LARGE = 100 * 1024 * 1024
/** The garbage that may be added before it is collected: bytes, or a part of the heap if that is more. */
const MOST = {bytes: 48 * 1024 * 1024, part: 1 / 4}
/** Milliseconds between looks at the heap. */
const LOOK = 100
/** A process can start several commands, as in tests. */
let isLimited = false

/**
 * Collects garbage early while the heap is large, for commands with millions of items: V8 lets the heap grow to several
 * times the memory in use. With a million items, it takes up to a quarter more processor time.
 */
export function limitGarbage(): void {
  if (isLimited) return
  isLimited = true
  let collect: (() => void) | undefined
  let left = 0
  // Not `process.memoryUsage`, which reads a file, and fails if too many are open.
  const usage = () => {
    const {used_heap_size: heap, external_memory: external} = getHeapStatistics()
    return heap + external
  }
  const look = () => {
    const used = usage()
    left = Math.min(left, used)
    if (used < LARGE || used - left < Math.max(MOST.bytes, left * MOST.part)) return
    collect ??= withFlags(['expose-gc'], collector)
    collect()
    left = usage()
  }
  setInterval(look, LOOK).unref()
}

const collector = () => runInNewContext('gc') as () => void

function withFlags<T>(flags: readonly string[], work: () => T): T {
  try {
    for (const flag of flags) setFlagsFromString(`--${flag}`)
    return work()
  } finally {
    for (const flag of flags) setFlagsFromString(`--no-${flag}`)
  }
}
