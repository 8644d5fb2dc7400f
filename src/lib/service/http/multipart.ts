import {failure} from '../errors.js'
import {gather} from './message.js'

/** A part of a multipart body. Read its body to the end before the next part is asked for. */
export interface Part {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: AsyncGenerator<Buffer, void, undefined>
}

/** The most bytes the headers of a part may have. */
const HEADER_LIMIT = 16 * 1024

/** A parameter of a header such as `multipart/related; boundary="x"`. */
export function headerParameter(header: string, name: string): string | undefined {
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
 * first boundary shows which. Throws 400 for a body that breaks off or has no such boundary.
 */
export async function* multipartParts(
  source: AsyncIterator<Buffer>,
  boundary: string,
): AsyncGenerator<Part, void, undefined> {
  const reader = createReader(source)
  let eol: string | undefined
  while (eol === undefined) {
    const line = await text(reader.until(Buffer.from('\n')))
    if (line.trimEnd() === `--${boundary}--`) return
    if (line.trimEnd() === `--${boundary}`) eol = line.endsWith('\r') ? '\r\n' : '\n'
  }
  const delimiter = Buffer.from(`${eol}--${boundary}`)
  const blankLine = Buffer.from(eol + eol)

  for (;;) {
    // The line end that was just read may also be the first half of the blank line (no headers),
    // and the one behind the headers the start of the next delimiter (no body).
    reader.unread(Buffer.from(eol))
    const headers = parseHeaders(await text(reader.until(blankLine)))
    reader.unread(Buffer.from(eol))
    yield {headers, body: withoutFirst(reader.until(delimiter), eol.length)}
    const rest = await text(reader.until(Buffer.from('\n')))
    if (rest.startsWith('--')) return
    if (rest.trim() !== '') throw malformed('a boundary has something behind it')
  }
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

interface Reader {
  /** The bytes up to a mark, which is taken out. Throws 400 where the source ends before it. */
  until(mark: Buffer): AsyncGenerator<Buffer, void, undefined>
  /** Puts bytes back in front. */
  unread(bytes: Buffer): void
}

function createReader(source: AsyncIterator<Buffer>): Reader {
  let held: Buffer = Buffer.alloc(0)
  let ended = false
  return {
    unread(bytes) {
      held = Buffer.concat([bytes, held])
    },
    async *until(mark) {
      for (;;) {
        const found = held.indexOf(mark)
        if (found >= 0) {
          const last = held.subarray(0, found)
          held = held.subarray(found + mark.length)
          if (last.length > 0) yield last
          return
        }
        // The end of what is held may be the start of the mark.
        const sure = held.length - mark.length + 1
        if (sure > 0) {
          const piece = held.subarray(0, sure)
          held = held.subarray(sure)
          yield piece
        }
        if (ended) throw malformed('it ends before its last boundary')
        const next = await source.next()
        if (next.done) {
          ended = true
          // The last line need not have an end.
          held = Buffer.concat([held, Buffer.from('\n')])
        } else {
          held = Buffer.concat([held, next.value])
        }
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
