import type {Claim, Journal} from './journal.js'

/**
 * A journal that does without the disk where that takes nothing: a transfer that cannot be remembered
 * is better than none. `onLoss` hears of the system's errors.
 */
export function bestEffortJournal(journal: Journal, onLoss: (error: unknown) => void): Journal {
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
    ...journal,
    async claim(entry) {
      const claim = await attempt(() => journal.claim(entry))
      return claim && around(claim)
    },
    list: async () => (await attempt(() => journal.list())) ?? [],
    discard: async key => (await attempt(() => journal.discard(key))) ?? false,
  }
}
