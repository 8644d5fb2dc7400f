import {cell, shortTime} from '#lib/cli/terminal/cell.js'
import {percentText, sizeText} from '#lib/cli/terminal/units.js'

/** Fields with sizes in bytes. */
const SIZES = /^(fileSize|size|total|used|available|trash|done|bytesUsed|quotaBytes\w*)$/

/** Formats a value for people: short local times, sizes with units. */
export function peopleText(value: unknown, name = ''): string {
  if (SIZES.test(name) && isNumber(value)) return sizeText(Number(value))
  if (Array.isArray(value)) return value.map(element => peopleText(element, name)).join(', ')
  return shortTime(cell(value))
}

/** Whether a value is a number or the text of a whole number. */
export function isNumber(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value))
}

/** Words for kinds of files; the first match is used. */
const WORDS: ReadonlyArray<readonly [RegExp, string]> = [
  [/^application\/pdf$/, 'PDF'],
  [/^image\//, 'image'],
  [/^audio\//, 'audio'],
  [/^video\//, 'video'],
  [/wordprocessingml|msword|opendocument\.text|\brtf$/, 'document'],
  [/spreadsheetml|ms-excel|opendocument\.spreadsheet/, 'spreadsheet'],
  [/presentationml|ms-powerpoint|opendocument\.presentation/, 'presentation'],
  [/^application\/(zip|gzip|x-(gzip|tar|bzip2?|xz|7z-compressed|rar.*)|vnd\.rar|zstd)$/, 'archive'],
  [/^text\/|[/+](json|xml|yaml|javascript|x-sh)$/, 'text'],
]

/** The kind of a file from its media type, in one word: `folder`, `PDF`, `text`; `file` if unknown. */
export function kindWord(mimeType: string): string {
  const type = mimeType.toLowerCase().split(';')[0]!.trim()
  const own = /^application\/vnd\.google-apps\.([a-z]+)$/.exec(type)?.[1]
  if (own !== undefined) return own
  return WORDS.find(([pattern]) => pattern.test(type))?.[1] ?? 'file'
}

/** The completed part of `size`: `4.2 MiB (42 %)`; only the bytes if the size is unknown. */
export function transferredText(done: unknown, {size}: Readonly<Record<string, unknown>>): string {
  if (!isNumber(done)) return ''
  const bytes = peopleText(done, 'done')
  if (!isNumber(size) || Number(size) === 0) return bytes
  return `${bytes} (${percentText(Number(done), Number(size))})`
}
