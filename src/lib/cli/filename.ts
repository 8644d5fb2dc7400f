import {basename} from 'node:path'

/** Names that mean a device to Windows, with or without an ending. */
const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?$/i
/** What no file system that people use takes in a name, and what a terminal would act on. */
const FORBIDDEN =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069/\\:*?"<>|]/g
/** Most file systems allow 255 bytes; some are left for the ending of a temporary name. */
const MOST_BYTES = 200

/**
 * A title from the service as the name of a file in the current directory, and nothing else: no
 * path, no device, no hidden file, never empty.
 */
export function safeFileName(title: string): string {
  const clean = title
    .replace(FORBIDDEN, '_')
    .replace(/^[.\s~-]+/, '')
    .replace(/[.\s]+$/, '')
  if (clean === '') return 'download'
  return shorten(DEVICE.test(clean) ? `_${clean}` : clean)
}

/** The title an uploaded file gets: its own name. */
export function titleOf(path: string): string {
  return basename(path)
}

/** Cuts in the middle of nothing: whole characters go, and a short ending stays. */
function shorten(name: string): string {
  if (Buffer.byteLength(name) <= MOST_BYTES) return name
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? ''
  const room = MOST_BYTES - Buffer.byteLength(ending)
  let kept = ''
  for (const char of name.slice(0, name.length - ending.length)) {
    if (Buffer.byteLength(kept + char) > room) break
    kept += char
  }
  return kept + ending
}
