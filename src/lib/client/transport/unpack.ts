import {pipeline, type Readable} from 'node:stream'
import {createBrotliDecompress, createGunzip} from 'node:zlib'

/** What answers may come packed as, in the words of `accept-encoding`. */
export const PACKINGS = 'gzip, br'

/** Bytes that are unpacked at once: got's 16 KiB would make a long list two and a half times as dear. */
const CHUNK = {chunkSize: 256 * 1024}

/** Statuses of answers without a body. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304])

/** Whether nothing but headers comes, which may tell of another answer's body (RFC 9110, section 6.4.1). */
export function hasNoBody(method: string, status: number): boolean {
  return method === 'HEAD' || EMPTY.has(status)
}

interface Answer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Readable
}

/**
 * An answer as it was before it was packed, without the headers that tell of that; one that was not
 * packed as it is.
 */
export function unpacked(answer: Answer): Answer {
  const {status, headers, body} = answer
  const {'content-encoding': packing, 'content-length': length, ...others} = headers
  // Where nothing comes, nothing was packed, whatever the headers say.
  if (length === '0') return answer
  const unpack = unpackerFor(packing?.trim().toLowerCase())
  if (!unpack) return answer
  // Errors and the end go from one to the other; whoever reads hears of them.
  return {status, headers: others, body: pipeline(body, unpack, () => undefined)}
}

function unpackerFor(packing: string | undefined) {
  if (packing === 'gzip' || packing === 'x-gzip') return createGunzip(CHUNK)
  return packing === 'br' ? createBrotliDecompress(CHUNK) : undefined
}
