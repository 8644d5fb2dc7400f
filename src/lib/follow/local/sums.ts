import {md5Of} from '#lib/transfer/tree/settle.js'
import {type LocalItem, markOf} from './local-item.js'

/** Number of files that are read at a time. */
const WIDTH = 4

/** The MD5s of local files, each computed again only after the file has changed. */
export function createSums(signal: AbortSignal) {
  const known = new Map<string, readonly [mark: string, md5: string]>()
  return {
    /** MD5s by path, without those of files that change meanwhile. Throws the reason of the signal. */
    async of(items: readonly LocalItem[]): Promise<Map<string, string>> {
      const found = new Map<string, string>()
      const next = items.values()
      const work = async () => {
        for (const item of next) {
          const {path, entry} = item
          const mark = markOf(item)
          const last = known.get(path)
          try {
            const md5 = last?.[0] === mark ? last[1] : entry && (await md5Of(entry, signal))
            if (md5 === undefined) continue
            found.set(path, md5)
            known.set(path, [mark, md5])
          } catch {
            signal.throwIfAborted()
          }
        }
      }
      await Promise.all(Array.from({length: WIDTH}, work))
      return found
    },
    clear: () => known.clear(),
  }
}
