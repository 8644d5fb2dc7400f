import {localName, nameKey, type NameRules, titleKey, withMark} from '#lib/transfer/local/names.js'
import type {
  RemoteEntry,
  RemoteFile,
  RemoteFolder,
  RemoteOther,
} from '#lib/transfer/tree/entries.js'

/**
 * Editor documents have no bytes of their own, and lie on a machine as copies in another format,
 * which their endings tell apart. The service tells in which (reference: operations.md, files.export).
 */

/** The usual ending of files of a media type, or none. */
export type Endings = (type: string) => readonly string[]

/** Whether a name of this machine is that of a copy of a document. */
export type IsCopy = (document: RemoteOther, name: string) => boolean

/** The endings of the types in which the documents of a folder can be had; `known` where it has none. */
export async function endingsFor(
  {entries = []}: Pick<RemoteFolder, 'entries'>,
  known: Endings = () => [],
): Promise<Endings> {
  if (!entries.some(entry => entry.kind === 'other' && entry.exports)) return known
  const {default: mime} = await import('mime')
  return type => [mime.getExtension(type) ?? []].flat()
}

/** `Report.docx` for the document `Report`, and for one that is called so already. */
function copyTitle(title: string, ending: string): string {
  return title.toLowerCase().endsWith(`.${ending}`) ? title : `${title}.${ending}`
}

/**
 * Knows copies by their names, in any format that the service offers: with the document's ID or a
 * number in brackets as well, which they get where the plain name is taken.
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
 * The file that a document comes down as: in the first of some formats, which are endings, that the
 * service offers; `undefined` where there is none.
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

/** A document that stays, with the reason: the formats in which the service would export it. */
function withReason(
  document: RemoteOther,
  formats: readonly string[],
  endings: Endings,
): RemoteOther {
  const offered = [...new Set(document.exports?.flatMap(endings))]
  if (offered.length === 0) return document
  const reason =
    formats.length === 0
      ? `it is ${document.what}; --export ${offered.join(',')} downloads a copy`
      : `the service exports it as ${offered.join(', ')}, not as ${formats.join(', ')}`
  return {...document, reason}
}

/** A folder whose documents are files, as far as they can be had in the formats. */
export function withExports(
  tree: RemoteFolder,
  formats: readonly string[],
  endings: Endings,
  rules: NameRules,
): RemoteFolder {
  if (!tree.entries) return tree
  const keyOf = (title: string) => nameKey(localName(title, rules), rules)
  const convert = (entry: RemoteEntry): RemoteEntry => {
    if (entry.kind !== 'other') return entry
    return exportedFile(entry, formats, endings) ?? withReason(entry, formats, endings)
  }
  const entries = tree.entries.map(convert)
  const taken = new Set(entries.filter(entry => !isExported(entry)).map(({title}) => keyOf(title)))
  return {
    ...tree,
    entries: entries.map(entry =>
      isExported(entry) && taken.has(keyOf(entry.title))
        ? {...entry, title: withMark(entry.title, entry.id)}
        : entry,
    ),
  }
}

function isExported(entry: RemoteEntry): boolean {
  return entry.kind === 'file' && entry.exported !== undefined
}
