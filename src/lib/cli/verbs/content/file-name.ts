import {basename} from 'node:path'
import {cleanName, isDevice} from '#lib/transfer/local/encode-name.js'
import {shorten} from '#lib/transfer/local/names.js'

/** Most file systems allow 255 bytes; some are left for the ending of a temporary name. */
const MOST_BYTES = 200

/**
 * A title from the service as the name of a file in the current directory, and nothing else: no
 * path, no device, no hidden file, never empty.
 */
export function safeFileName(title: string): string {
  const clean = cleanName(title, true)
    .replace(/^[.\s~-]+/, '')
    .replace(/[.\s]+$/, '')
  if (clean === '') return 'download'
  return shorten(isDevice(clean) ? `_${clean}` : clean, MOST_BYTES)
}

/** The title an uploaded file gets: its own name. */
export function titleOf(path: string): string {
  return basename(path)
}
