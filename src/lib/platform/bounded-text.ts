/** More was given than is read whole. The message is the reason, as the end of a sentence. */
export class TooLongError extends Error {
  constructor(limit: number) {
    super(`it is longer than ${limit / 1024 / 1024} MiB, the most that drv reads whole`)
    this.name = 'TooLongError'
  }
}

/** The most bytes of a text that is read whole: as many as an answer of a service may have. */
export const LONGEST_TEXT = 16 * 1024 * 1024

/**
 * The whole text that comes as bytes of UTF-8. Throws `TooLongError` as soon as more than `limit` bytes
 * came, and whatever the source fails with.
 */
export async function boundedText(
  chunks: AsyncIterable<Uint8Array | string>,
  limit = LONGEST_TEXT,
): Promise<string> {
  const all: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk as Buffer)
    size += bytes.length
    if (size > limit) throw new TooLongError(limit)
    all.push(bytes)
  }
  return Buffer.concat(all).toString('utf8')
}
