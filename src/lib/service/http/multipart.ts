import {failure} from '#lib/service/errors.js'
import {gather} from './message.js'

/** A part of a multipart body. Read its body to the end before the next part is asked for. */
export interface Part {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: AsyncGenerator<Buffer, void, undefined>
}

/** The most bytes the headers of a part may have. */
const HEADER_LIMIT = 16 * 1024
/** The most bytes there may be before the first part, and behind the last one. */
const AROUND_LIMIT = 64 * 1024
/** The most characters of a boundary (RFC 2046, section 5.1.1). */
const BOUNDARY_LIMIT = 70

const LF = Buffer.from('\n')

/**
 * The boundary in a `Content-Type` header; `undefined` where the media type is not `type`, or there
 * is no boundary of a lawful length.
 */
export function multipartBoundary(header: string | undefined, type: string): string | undefined {
  if (header === undefined || mediaType(header) !== type) return undefined
  const boundary = headerParameter(header, 'boundary')
  return boundary && boundary.length <= BOUNDARY_LIMIT ? boundary : undefined
}

/** A parameter of a header such as `multipart/related; boundary="x"`. */
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
 * The parts of a multipart body (RFC 2046, section 5.1), one at a time, without taking in more
 * than a piece of them. Lines may end in CRLF or, as some clients write them, in LF alone: the
 * first boundary shows which. Reads to the end of the source. Throws 400 for a body that breaks
 * off, has no such boundary, or has much around its parts.
 */
export async function* multipartParts(
  source: AsyncIterator<Buffer>,
  boundary: string,
): AsyncGenerator<Part, void, undefined> {
  const reader = createReader(source)
  const eol = await firstLineEnd(reader, boundary)
  if (eol !== undefined) yield* partsFrom(reader, boundary, eol)
  await gather(reader.rest(), AROUND_LIMIT, () => malformed('there is too much behind its end'))
}

async function* partsFrom(
  reader: Reader,
  boundary: string,
  eol: string,
): AsyncGenerator<Part, void, undefined> {
  const delimiter = Buffer.from(`${eol}--${boundary}`)
  const blankLine = Buffer.from(`\n${eol}`)
  for (;;) {
    // The LF that was just read may also be the first half of the blank line (no headers), and the
    // line end behind the headers the start of the next delimiter (no body): both are kept.
    const headers = parseHeaders(await text(reader.until(blankLine, eol.length)))
    yield {headers, body: withoutFirst(reader.until(delimiter), eol.length)}
    const rest = await text(reader.until(LF, LF.length))
    if (rest.startsWith('--')) return
    if (rest.trim() !== '') throw malformed('a boundary has something behind it')
  }
}

/**
 * Reads to the first boundary and returns how its line ends, but for a last LF, which is kept.
 * `undefined` where it is also the last boundary.
 */
async function firstLineEnd(reader: Reader, boundary: string): Promise<string | undefined> {
  const mark = Buffer.from(`--${boundary}`)
  const tooLarge = () => malformed('there is too much before its first part')
  let left = AROUND_LIMIT
  while (left > 0) {
    const before = await gather(reader.until(mark), left, tooLarge)
    const line = await text(reader.until(LF, LF.length))
    const startsLine = before.length === 0 || before.at(-1) === LF[0]
    if (startsLine && line.trimEnd() === '') return line.endsWith('\r') ? '\r\n' : '\n'
    if (startsLine && line.trimEnd() === '--') return undefined
    left -= before.length + mark.length + line.length
  }
  throw tooLarge()
}

/** Decodes base64 text that comes in pieces; line breaks do not count. Throws 400 for other characters. */
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

  /** Takes the first `count` bytes out of what is held. */
  function take(count: number): Buffer {
    const piece = held.subarray(0, count)
    held = held.subarray(count)
    return piece
  }

  return {
    /**
     * The bytes up to a mark, which is taken out but for its last `overlap` bytes. Throws 400 where
     * the source ends before it.
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
        // The end of what is held may be the start of the mark.
        const sure = held.length - mark.length + 1
        if (sure > 0) yield take(sure)
        if (ended) throw malformed('it ends before its last boundary')
        const next = await source.next()
        ended = next.done === true
        // The last line need not have an end.
        held = Buffer.concat([held, next.done ? LF : next.value])
      }
    },
    /** All that is left. */
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
  return (await gather(pieces, HEADER_LIMIT, tooLarge)).toString()
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
  // A line that starts with a blank goes on with the header above.
  for (const line of block.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    if (line.trim() === '') continue
    const colon = line.indexOf(':')
    if (colon <= 0) throw malformed('a part has a header without a name')
    headers[line.slice(0, colon).trim().toLowerCase()] = line.slice(colon + 1).trim()
  }
  return headers
}

function malformed(what: string) {
  return failure(400, 'badRequest', `The multipart body is malformed: ${what}.`)
}
