import {createHash, type Hash} from 'node:crypto'

/** The MD5 of content that is read in pieces, some of them again. */
export interface RunningMd5 {
  /** So many bytes from the first on are in it. */
  readonly at: number
  /** Takes in what is news of the bytes at `start`. There must be no gap before them. */
  update(bytes: Buffer, start: number): void
  /** In hexadecimal; goes on afterwards. */
  digest(): string
}

export function createRunningMd5(): RunningMd5 {
  const hash: Hash = createHash('md5')
  let at = 0
  return {
    get at() {
      return at
    },
    update(bytes, start) {
      if (start > at) throw new Error(`The MD5 is at ${at}, not at ${start}.`)
      const fresh = bytes.subarray(at - start)
      if (start + bytes.length <= at) return
      hash.update(fresh)
      at = start + bytes.length
    },
    digest: () => hash.copy().digest('hex'),
  }
}
