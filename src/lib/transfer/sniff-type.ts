/** The media type of content from its first bytes; `undefined` if unknown. For names without an extension. */
export function sniffType(head: Buffer): string | undefined {
  const known = SIGNATURES.find(({at = 0, bytes}) =>
    head.subarray(at, at + bytes.length).equals(Buffer.from(bytes, 'latin1')),
  )
  if (known) return known.type
  if (head.length === 0 || !isText(head)) return undefined
  const [, markup] = /^\uFEFF?\s*<(\?xml|!doctype html|html)\b/i.exec(head.toString('utf8')) ?? []
  if (markup === undefined) return 'text/plain'
  return markup.startsWith('?') ? 'application/xml' : 'text/html'
}

/** Number of bytes to examine. */
export const HEAD_SIZE = 4096

interface Signature {
  readonly bytes: string
  readonly at?: number
  readonly type: string
}

const SIGNATURES: readonly Signature[] = [
  {bytes: '%PDF-', type: 'application/pdf'},
  {bytes: '\x89PNG\r\n\x1a\n', type: 'image/png'},
  {bytes: '\xff\xd8\xff', type: 'image/jpeg'},
  {bytes: 'GIF87a', type: 'image/gif'},
  {bytes: 'GIF89a', type: 'image/gif'},
  {bytes: 'WEBP', at: 8, type: 'image/webp'},
  {bytes: 'WAVE', at: 8, type: 'audio/wav'},
  {bytes: 'ID3', type: 'audio/mpeg'},
  {bytes: 'OggS', type: 'audio/ogg'},
  {bytes: 'fLaC', type: 'audio/flac'},
  {bytes: 'ftyp', at: 4, type: 'video/mp4'},
  {bytes: '\x1a\x45\xdf\xa3', type: 'video/webm'},
  {bytes: 'PK\x03\x04', type: 'application/zip'},
  {bytes: '\x1f\x8b', type: 'application/gzip'},
  {bytes: 'BZh', type: 'application/x-bzip2'},
  {bytes: '\xfd7zXZ\0', type: 'application/x-xz'},
  {bytes: '7z\xbc\xaf\x27\x1c', type: 'application/x-7z-compressed'},
  {bytes: 'ustar', at: 257, type: 'application/x-tar'},
  {bytes: '{\\rtf', type: 'application/rtf'},
]

/** Whether the bytes are UTF-8 (possibly cut within a character) without unusual control characters. */
function isText(head: Buffer): boolean {
  if (head.some(byte => byte < 32 && !TEXT_CONTROLS.has(byte))) return false
  try {
    new TextDecoder('utf-8', {fatal: true}).decode(head, {stream: true})
    return true
  } catch {
    return false
  }
}

/** Tab, line feed, form feed, carriage return and escape. */
const TEXT_CONTROLS: ReadonlySet<number> = new Set([9, 10, 12, 13, 27])
