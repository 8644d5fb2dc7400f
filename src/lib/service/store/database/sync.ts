/** Puts on the disk what was written before the call; settles when it is there. */
export type Sync = () => Promise<void>

/**
 * Lets all who ask while the disk is busy share the next turn. A turn that has begun is of no use
 * to them: it may have passed what they wrote.
 */
export function createSync(toDisk: () => Promise<void>): Sync {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  function begin(): Promise<void> {
    next = undefined
    const turn = toDisk().finally(() => {
      if (running === turn) running = undefined
    })
    running = turn
    return turn
  }

  return () => {
    if (!running) return begin()
    next ??= running.then(begin, begin)
    return next
  }
}
