import mime from 'mime'
import {EDITOR_TYPE_PREFIX, FOLDER_TYPE, SHORTCUT_TYPE} from '#lib/api/wire.js'

/** Media types of files, and how the service detects that of a new file. */

export const DEFAULT_TYPE = 'application/octet-stream'
export const DOCUMENT_TYPE = `${EDITOR_TYPE_PREFIX}document`
export const SPREADSHEET_TYPE = `${EDITOR_TYPE_PREFIX}spreadsheet`

/** Editor types (reference: resources.md, Behaviour). The local service supports content for two of them: `convert.ts`. */
const EDITOR_TYPES = [
  'document',
  'spreadsheet',
  'presentation',
  'drawing',
  'script',
  'form',
  'site',
  'jam',
  'vid',
].map(name => EDITOR_TYPE_PREFIX + name)

/** The kind of a file, which determines its fields and whether it has content. */
export type FileKind = 'folder' | 'shortcut' | 'editor' | 'binary'

/** The kind of files of this media type; `undefined` for an unknown type with the prefix of editor types. */
export function kindOfType(mimeType: string): FileKind | undefined {
  if (mimeType === FOLDER_TYPE) return 'folder'
  if (mimeType === SHORTCUT_TYPE) return 'shortcut'
  if (EDITOR_TYPES.includes(mimeType)) return 'editor'
  return mimeType.startsWith(EDITOR_TYPE_PREFIX) ? undefined : 'binary'
}

/** A media type without parameters, in lower case; `undefined` for invalid text. */
export function bareType(text: string | undefined): string | undefined {
  const bare = text?.split(';', 1)[0]!.trim().toLowerCase()
  return bare && /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(bare) ? bare : undefined
}

/** The media type for the extension of a file name; `undefined` if it is unknown. */
export function typeByName(name: string): string | undefined {
  return mime.getType(extensionOf(name) ?? '') ?? undefined
}

/** The first bytes of well-known formats, as `latin1`: one character per byte. */
const SIGNATURES: ReadonlyArray<readonly [prefix: string, type: string]> = [
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['GIF87a', 'image/gif'],
  ['GIF89a', 'image/gif'],
  ['%PDF-', 'application/pdf'],
  ['PK\x03\x04', 'application/zip'],
  ['\x1f\x8b', 'application/gzip'],
]

/** The media type for the first bytes of content; `undefined` if the format is unknown. */
export function typeByContent(start: Buffer): string | undefined {
  const text = start.toString('latin1', 0, 16)
  return SIGNATURES.find(([prefix]) => text.startsWith(prefix))?.[1]
}

/** Extensions of compression formats. The extension before them belongs to the full extension. */
const WRAPPERS = new Set(['gz', 'bz2', 'xz', 'zst', 'lz', 'lzma', 'br', 'z'])

/** The full extension of a name without the first dot, such as `tar.gz`; `undefined` if it has none. */
export function fullExtensionOf(name: string): string | undefined {
  const parts = name.split('.')
  const last = parts.at(-1)!
  const start = parts.slice(0, -1).join('.')
  if (start === '' || !/^[A-Za-z0-9]{1,16}$/.test(last)) return undefined
  const inner = WRAPPERS.has(last.toLowerCase()) ? fullExtensionOf(start) : undefined
  return inner && inner.length <= 4 ? `${inner}.${last}` : last
}

/** The last part of the extension, such as `gz`; `undefined` if the name has none. */
export function extensionOf(name: string): string | undefined {
  return fullExtensionOf(name)?.split('.').at(-1)
}

/** Width and height in pixels. */
interface ImageSize {
  readonly width: number
  readonly height: number
}

/** Number of bytes from the start of an image that `imageSize` reads. */
export const IMAGE_HEADER_LIMIT = 256 * 1024

/** The size of a PNG, GIF or JPEG from its header; `undefined` for other formats. */
export function imageSize(start: Buffer): ImageSize | undefined {
  if (start.length >= 24 && start.toString('latin1', 1, 4) === 'PNG') {
    return sized(start.readUInt32BE(16), start.readUInt32BE(20))
  }
  if (start.length >= 10 && /^GIF8[79]a$/.test(start.toString('latin1', 0, 6))) {
    return sized(start.readUInt16LE(6), start.readUInt16LE(8))
  }
  return start.length >= 4 && start.readUInt16BE(0) === 0xffd8 ? jpegSize(start) : undefined
}

/** The size of a JPEG, from the first frame segment. */
function jpegSize(start: Buffer): ImageSize | undefined {
  for (let at = 2; at + 9 <= start.length && start[at] === 0xff;) {
    const marker = start[at + 1]!
    // C4, C8 and CC are in the range of frame markers, but are not frame markers.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return sized(start.readUInt16BE(at + 7), start.readUInt16BE(at + 5))
    }
    at += 2 + start.readUInt16BE(at + 2)
  }
  return undefined
}

function sized(width: number, height: number): ImageSize | undefined {
  return width > 0 && height > 0 ? {width, height} : undefined
}
