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
