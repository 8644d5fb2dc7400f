import type {Claim, Memory} from './journal.js'

/**
 * A memory that does without the disk where that takes nothing: a transfer that cannot be remembered
 * is better than none. `onLoss` hears of the system's errors.
 */
export function forgetful(memory: Memory, onLoss: (error: unknown) => void): Memory {
  const attempt = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      onLoss(error)
      return undefined
    }
  }
  const around = ({entry, save, forget, release}: Claim): Claim => ({
    entry,
    save: latest => attempt(() => save(latest)),
    forget: () => attempt(forget),
    release: () => attempt(release),
  })
  return {
    ...memory,
    async claim(entry) {
      const claim = await attempt(() => memory.claim(entry))
      return claim && around(claim)
    },
    list: async () => (await attempt(() => memory.list())) ?? [],
    discard: async key => (await attempt(() => memory.discard(key))) ?? false,
  }
}
