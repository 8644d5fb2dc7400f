import {localName, nameKey, type NameRules, titleKey, withMark} from '#lib/transfer/local/names.js'
import type {
  RemoteEntry,
  RemoteFile,
  RemoteFolder,
  RemoteOther,
} from '#lib/transfer/tree/entries.js'

/**
 * Editor documents have no content of their own and are downloaded in other formats, recognizable by
 * their extensions. The service lists the formats (reference: operations.md, files.export).
 */

/** The usual extensions for a media type; may be empty. */
export type Endings = (type: string) => readonly string[]

/** Whether a local name is that of a downloaded copy of a document. */
export type IsCopy = (document: RemoteOther, name: string) => boolean

/** The extensions for export formats in a folder; `known` if the folder has no documents. */
export async function endingsFor(
  {entries = []}: Pick<RemoteFolder, 'entries'>,
  known: Endings = () => [],
): Promise<Endings> {
  if (!entries.some(entry => entry.kind === 'other' && entry.exports)) return known
  const {default: mime} = await import('mime')
  return type => [mime.getExtension(type) ?? []].flat()
}

/** `Report.docx` for the document `Report`, and also for a document named `Report.docx`. */
export function copyTitle(title: string, ending: string): string {
  return title.toLowerCase().endsWith(`.${ending}`) ? title : `${title}.${ending}`
}

/**
 * Recognizes copies by name, in any offered format, also with the document's ID or a number in
 * parentheses, which copies get if the plain name is taken.
 */
export function copiesBy(endings: Endings, rules: Pick<NameRules, 'isWindows'>): IsCopy {
  return ({id, title, exports = []}, name) => {
    const [, start = '', mark, end = ''] = /^(.*?)(?: \(([^()]*)\))?(\.[^.]*)$/s.exec(name) ?? []
    const plain = mark !== undefined && (mark === id || /^\d+$/.test(mark)) ? start + end : name
    return exports
      .flatMap(endings)
      .map(ending => localName(copyTitle(title, ending), rules))
      .some(copy => [name, plain].map(titleKey).includes(titleKey(copy)))
  }
}

/**
 * The name and type to export a document as: the first of `formats` (extensions) that the service
 * offers; `undefined` if it offers none of them.
 */
export function exportedFile(
  document: RemoteOther,
  formats: readonly string[],
  endings: Endings,
): RemoteFile | undefined {
  const {id, title, exports = [], modified} = document
  for (const format of formats) {
    const type = exports.find(one => endings(one).includes(format))
    if (type === undefined) continue
    const name = copyTitle(title, format)
    return {kind: 'file', id, title: name, size: 0, modified, exported: {type, document}}
  }
  return undefined
}

/** A document that is not downloaded, with the reason: the formats that the service offers. */
function withReason(
  document: RemoteOther,
  formats: readonly string[],
  endings: Endings,
): RemoteOther {
  const offered = [...new Set(document.exports?.flatMap(endings))]
  if (offered.length === 0) return document
  const reason =
    formats.length === 0
      ? `it is ${document.what}; use --export ${offered.join(',')} to download a copy`
      : `the service can export it as ${offered.join(', ')}, but not as ${formats.join(', ')}`
  return {...document, reason}
}

/** A folder in which documents are replaced with files, where the formats are available. */
export function withExports(
  tree: RemoteFolder,
  formats: readonly string[],
  endings: Endings,
  rules: NameRules,
): RemoteFolder {
  if (!tree.entries) return tree
  const convert = (entry: RemoteEntry): RemoteEntry => {
    if (entry.kind !== 'other') return entry
    return exportedFile(entry, formats, endings) ?? withReason(entry, formats, endings)
  }
  return {...tree, entries: withFreeTitles(tree.entries.map(convert), isExported, rules)}
}

/** The entries of a folder, in which copies of documents whose titles others have are marked with their IDs. */
export function withFreeTitles<T extends {readonly id: string; readonly title: string}>(
  entries: readonly T[],
  isCopy: (entry: T) => boolean,
  rules: NameRules,
): T[] {
  const keyOf = (title: string) => nameKey(localName(title, rules), rules)
  const taken = new Set(entries.filter(entry => !isCopy(entry)).map(({title}) => keyOf(title)))
  return entries.map(entry =>
    isCopy(entry) && taken.has(keyOf(entry.title))
      ? {...entry, title: withMark(entry.title, entry.id)}
      : entry,
  )
}

function isExported(entry: RemoteEntry): boolean {
  return entry.kind === 'file' && entry.exported !== undefined
}
