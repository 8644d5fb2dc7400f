import {cell, shortTime} from '#lib/cli/terminal/cell.js'
import {sizeText} from '#lib/cli/terminal/units.js'

/** Fields that hold bytes. */
const SIZES = /^(fileSize|size|total|used|available|trash|done|bytesUsed|quotaBytes\w*)$/

/** A field's value as people read it: times short and in their own zone, sizes with a unit. */
export function forPeople(value: unknown, name = ''): string {
  if (SIZES.test(name) && isNumber(value)) return sizeText(Number(value))
  if (Array.isArray(value)) return value.map(element => forPeople(element, name)).join(', ')
  return shortTime(cell(value))
}

/** Whether this is a whole number, or the text of one. */
export function isNumber(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value))
}

/** Kinds of files in a word; the first that fits counts. */
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

/** What a file is, in a word, from its media type: `folder`, `PDF`, `text`; `file` where there is none. */
export function kindWord(mimeType: string): string {
  const type = mimeType.toLowerCase().split(';')[0]!.trim()
  const own = /^application\/vnd\.google-apps\.([a-z]+)$/.exec(type)?.[1]
  if (own !== undefined) return own
  return WORDS.find(([pattern]) => pattern.test(type))?.[1] ?? 'file'
}
