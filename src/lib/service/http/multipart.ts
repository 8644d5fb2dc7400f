import {failure} from '#lib/service/errors.js'
import {concatChunks} from './message.js'

/** A part of a multipart body. Read its body to the end before requesting the next part. */
export interface Part {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: AsyncGenerator<Buffer, void, undefined>
}

/** Maximum size of the headers of a part, in bytes. */
const HEADER_LIMIT = 16 * 1024
/** Maximum number of bytes before the first part, and after the last one. */
const AROUND_LIMIT = 64 * 1024
/** Maximum length of a boundary, in characters (RFC 2046, section 5.1.1). */
const BOUNDARY_LIMIT = 70

const LF = Buffer.from('\n')

/**
 * The boundary in a `Content-Type` header; `undefined` if the media type is not `type`, or the
 * boundary is missing or too long.
 */
export function multipartBoundary(header: string | undefined, type: string): string | undefined {
  if (header === undefined || mediaType(header) !== type) return undefined
  const boundary = headerParameter(header, 'boundary')
  return boundary && boundary.length <= BOUNDARY_LIMIT ? boundary : undefined
}

/** The value of a parameter in a header such as `multipart/related; boundary="x"`. */
function headerParameter(header: string, name: string): string | undefined {
  const found = new RegExp(`;\\s*${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;]+))`, 'i').exec(
    header,
  )
  return found?.[1]?.replace(/\\(.)/g, '$1') ?? found?.[2]
}

/** The media type in a `Content-Type` header, in lower case and without its parameters. */
export function mediaType(header: string | undefined): string | undefined {
  return header?.split(';')[0]!.trim().toLowerCase() || undefined
}

/**
 * Streams the parts of a multipart body one by one (RFC 2046, section 5.1) and reads the source to
 * its end. Lines end in CRLF or, from some clients, in LF; the first boundary decides. Throws 400 if
 * the body is incomplete, lacks the boundary, or has too much data before or after its parts.
 */
export async function* multipartParts(
  source: AsyncIterator<Buffer>,
  boundary: string,
): AsyncGenerator<Part, void, undefined> {
  const reader = createReader(source)
  const eol = await firstLineEnd(reader, boundary)
  if (eol !== undefined) yield* partsFrom(reader, boundary, eol)
  await concatChunks(reader.rest(), AROUND_LIMIT, () =>
    malformed('too much data after the last boundary'),
  )
}

async function* partsFrom(
  reader: Reader,
  boundary: string,
  eol: string,
): AsyncGenerator<Part, void, undefined> {
  const delimiter = Buffer.from(`${eol}--${boundary}`)
  const blankLine = Buffer.from(`\n${eol}`)
  for (;;) {
    // The last LF may be the first half of the blank line (no headers), and the line end after the
    // headers may start the next delimiter (no body). Keep both.
    const headers = parseHeaders(await text(reader.until(blankLine, eol.length)))
    yield {headers, body: withoutFirst(reader.until(delimiter), eol.length)}
    const rest = await text(reader.until(LF, LF.length))
    if (rest.startsWith('--')) return
    if (rest.trim() !== '') throw malformed('unexpected text after a boundary')
  }
}

/**
 * Reads to the first boundary and returns its line ending; a last LF stays unread. `undefined` if
 * it is also the last boundary. Throws 400 if the boundary does not come within 64 KiB.
 */
async function firstLineEnd(reader: Reader, boundary: string): Promise<string | undefined> {
  const mark = Buffer.from(`--${boundary}`)
  const tooLarge = () => malformed('too much data before the first boundary')
  let left = AROUND_LIMIT
  while (left > 0) {
    const before = await concatChunks(reader.until(mark), left, tooLarge)
    const line = await text(reader.until(LF, LF.length))
    const startsLine = before.length === 0 || before.at(-1) === LF[0]
    if (startsLine && line.trimEnd() === '') return line.endsWith('\r') ? '\r\n' : '\n'
    if (startsLine && line.trimEnd() === '--') return undefined
    left -= before.length + mark.length + line.length
  }
  throw tooLarge()
}

/** Decodes a stream of base64 text and ignores whitespace. Throws 400 for other characters and incomplete text. */
export async function* decodeBase64(
  source: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  let rest = ''
  for await (const piece of source) {
    const letters = rest + piece.toString('latin1').replace(/[\r\n\t ]+/g, '')
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(letters)) throw malformed('the content is not base64')
    const whole = letters.length - (letters.length % 4)
    rest = letters.slice(whole)
    if (whole > 0) yield Buffer.from(letters.slice(0, whole), 'base64')
  }
  if (rest !== '') throw malformed('the content is not base64')
}

type Reader = ReturnType<typeof createReader>

function createReader(source: AsyncIterator<Buffer>) {
  let held: Buffer = Buffer.alloc(0)
  let ended = false

  /** Removes the first `count` bytes from the buffer and returns them. */
  function take(count: number): Buffer {
    const piece = held.subarray(0, count)
    held = held.subarray(count)
    return piece
  }

  return {
    /**
     * Streams the bytes before a mark and skips the mark except for its last `overlap` bytes. Throws
     * 400 if the source ends first.
     */
    async *until(mark: Buffer, overlap = 0): AsyncGenerator<Buffer, void, undefined> {
      for (;;) {
        const found = held.indexOf(mark)
        if (found >= 0) {
          const last = take(found)
          take(mark.length - overlap)
          if (last.length > 0) yield last
          return
        }
        // The end of the buffer may be the start of the mark.
        const sure = held.length - mark.length + 1
        if (sure > 0) yield take(sure)
        if (ended) throw malformed('the last boundary is missing')
        const next = await source.next()
        ended = next.done === true
        // The last line may lack a line end.
        held = Buffer.concat([held, next.done ? LF : next.value])
      }
    },
    /** Streams the remaining bytes. */
    async *rest(): AsyncGenerator<Buffer, void, undefined> {
      if (held.length > 0) yield take(held.length)
      while (!ended) {
        const next = await source.next()
        ended = next.done === true
        if (!next.done) yield next.value
      }
    },
  }
}

async function text(pieces: AsyncIterable<Buffer>): Promise<string> {
  const tooLarge = () => malformed('a line or a header is too long')
  return (await concatChunks(pieces, HEADER_LIMIT, tooLarge)).toString()
}

async function* withoutFirst(
  pieces: AsyncIterable<Buffer>,
  count: number,
): AsyncGenerator<Buffer, void, undefined> {
  let skip = count
  for await (const piece of pieces) {
    const kept = piece.subarray(skip)
    skip -= piece.length - kept.length
    if (kept.length > 0) yield kept
  }
}

function parseHeaders(block: string): Record<string, string> {
  const headers: Record<string, string> = {}
  // A line that starts with whitespace continues the header above.
  for (const line of block.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    if (line.trim() === '') continue
    const colon = line.indexOf(':')
    if (colon <= 0) throw malformed('a header of a part has no name')
    headers[line.slice(0, colon).trim().toLowerCase()] = line.slice(colon + 1).trim()
  }
  return headers
}

function malformed(reason: string) {
  return failure(400, 'badRequest', `The multipart body is malformed: ${reason}.`)
}
