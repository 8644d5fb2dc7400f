import {parse} from 'csv-parse/sync'
import {stringify} from 'csv-stringify/sync'
import {DOCUMENT_TYPE, SPREADSHEET_TYPE} from './types.js'

/**
 * What content is lives in this room: its type, the size of an image, what it converts to. Where it
 * lies is known to `../store/content`.
 *
 * In this file, editor documents and the formats they come from and go to. A document is kept as
 * HTML, a spreadsheet as CSV: its source, UTF-8. All are pure functions from text to text.
 */

type Convert = (text: string) => string

const BYTE_ORDER_MARK = '\uFEFF'

const same: Convert = text => text

const imports: Readonly<Record<string, Readonly<Record<string, Convert>>>> = {
  [DOCUMENT_TYPE]: {'text/html': same, 'text/markdown': htmlFromText, 'text/plain': htmlFromText},
  [SPREADSHEET_TYPE]: {
    'text/csv': text => delimited(parseDelimited(text, ','), ','),
    'text/tab-separated-values': text => delimited(parseDelimited(text, '\t'), ','),
  },
}

const exports: typeof imports = {
  [DOCUMENT_TYPE]: {
    'text/html': text => text || htmlFromText(''),
    // With a mark for programs that else take it for another encoding (reference: protocols.md, section 3).
    'text/plain': text => BYTE_ORDER_MARK + textFromHtml(text),
  },
  [SPREADSHEET_TYPE]: {
    'text/csv': same,
    'text/html': text => htmlTable(parseDelimited(text, ',')),
    'text/tab-separated-values': text => delimited(parseDelimited(text, ','), '\t'),
  },
}

/** A media type with those it can become. */
interface Conversion {
  readonly source: string
  readonly targets: readonly string[]
}

/** What can become an editor document (reference: resources.md, About.importFormats). */
export function importFormats(): Conversion[] {
  const pairs = Object.entries(imports).flatMap(([target, sources]) =>
    Object.keys(sources).map(source => ({source, targets: [target]})),
  )
  return pairs.sort((a, b) => (a.source < b.source ? -1 : 1))
}

/** What editor documents can become (reference: resources.md, About.exportFormats). */
export function exportFormats(): Conversion[] {
  return Object.keys(exports).map(source => ({source, targets: exportTypes(source)}))
}

/** The media types that files of `mimeType` can be exported to; none for what is no editor document. */
export function exportTypes(mimeType: string): string[] {
  return Object.keys(exports[mimeType] ?? {})
}

/** The editor type that content of this type becomes with `convert=true`; `undefined` when there is none. */
export function importTarget(mimeType: string): string | undefined {
  return Object.keys(imports).find(target => imports[target]![mimeType])
}

/** The source of a document of `type` from content of type `from`; `undefined` when there is no such import. */
export function importSource(type: string, from: string, text: string): string | undefined {
  return imports[type]?.[from]?.(withoutMark(text))
}

/** The source of a document of `type` as `to`; `undefined` when there is no such export. */
export function exportSource(type: string, to: string, source: string): string | undefined {
  return exports[type]?.[to]?.(source)
}

/** What the source of a document of `type` says, for search. */
export function sourceText(type: string, source: string): string {
  return type === DOCUMENT_TYPE ? textFromHtml(source) : source
}

function withoutMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
}

/** Plain text as a page: every character and every line end comes back out of `textFromHtml`. */
function htmlFromText(text: string): string {
  // The parser of HTML drops one line end after <pre>, so one is put there for it.
  return page(`<pre>\n${escapeHtml(text)}</pre>`)
}

function page(body: string): string {
  return `<!doctype html>\n<html><head><meta charset="utf-8"></head><body>${body}</body></html>\n`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, character => ENTITY_OF[character]!)
}

const ENTITY_OF: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
}

/** What hides or keeps its inside as it is. */
const OPENING = /<!--|<(head|script|style|template|pre)\b/gi
const LINE_ENDS =
  /<br\b[^<>]*>|<\/(?:p|div|li|h[1-6]|tr|blockquote|section|article|header|footer)\s*>/gi
const TAGS = /<[/!]?[a-z][^<>]*>/gi

/** The words of a page: a line for each block, blanks as in the page only inside `<pre>`. */
function textFromHtml(html: string): string {
  const parts = sectionsOf(html).map(({text, isPre}) =>
    isPre ? text.replace(TAGS, '') : flowText(text),
  )
  // Blanks around the page are no part of its words; those inside <pre> are.
  const last = parts.length - 1
  parts[0] = parts[0]!.trimStart()
  parts[last] = parts[last]!.trimEnd()
  return decodeEntities(parts.join(''))
}

function flowText(html: string): string {
  return html
    .replace(/\s+/g, ' ')
    .replace(LINE_ENDS, '\n')
    .replace(/<\/t[dh]\s*>/gi, '\t')
    .replace(TAGS, '')
    .replace(/ ?\n ?/g, '\n')
}

interface Section {
  readonly text: string
  readonly isPre: boolean
}

/** A page in turns of flowing text and what stands in `<pre>`, without what is hidden. Begins and ends with flowing text. */
function sectionsOf(html: string): Section[] {
  const sections: Section[] = []
  let flow = ''
  let at = 0
  for (const opening of html.matchAll(OPENING)) {
    if (opening.index < at) continue
    flow += html.slice(at, opening.index)
    const [start, end, next] = insideOf(html, opening.index, opening[1])
    at = next
    if (opening[1]?.toLowerCase() !== 'pre') continue
    sections.push({text: flow, isPre: false})
    sections.push({text: html.slice(start, end).replace(/^\n/, ''), isPre: true})
    flow = ''
  }
  sections.push({text: flow + html.slice(at), isPre: false})
  return sections
}

/** Where the inside of an element or a comment starts and ends, and where the page goes on: at its end if nothing closes it. */
function insideOf(html: string, from: number, name: string | undefined): [number, number, number] {
  const start = name === undefined ? from + 4 : endOf(html, '>', from)
  const closing = name === undefined ? /-->/g : new RegExp(`</${name}\\b`, 'gi')
  closing.lastIndex = start
  const found = closing.exec(html)
  if (!found) return [start, html.length, html.length]
  return [start, found.index, endOf(html, '>', found.index)]
}

function endOf(html: string, sign: string, from: number): number {
  const at = html.indexOf(sign, from)
  return at < 0 ? html.length : at + 1
}

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]+));/gi,
    (all, hex, decimal, name) => {
      if (name) return NAMED[(name as string).toLowerCase()] ?? all
      const code = hex ? parseInt(hex as string, 16) : Number(decimal)
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\uFFFD'
    },
  )
}

/**
 * The rows of a table of cells between delimiters; cells may stand in double quotes (RFC 4180).
 * Takes whatever comes: quotes inside a cell are part of it, and the end of the text closes one that is open.
 */
export function parseDelimited(text: string, delimiter: string): string[][] {
  const rows = (whole: string) =>
    parse(whole, {
      delimiter,
      record_delimiter: ['\r\n', '\n'],
      relax_quotes: true,
      relax_column_count: true,
    })
  try {
    return rows(text)
  } catch (error) {
    if ((error as {code?: unknown}).code !== 'CSV_QUOTE_NOT_CLOSED') throw error
    return rows(`${text}"`)
  }
}

/** Rows as text, a line end behind each; quotes only around cells that need them. */
function delimited(rows: readonly string[][], delimiter: string): string {
  return stringify([...rows], {delimiter, quoted_match: /[\r\n]/})
}

function htmlTable(rows: readonly string[][]): string {
  const lines = rows.map(
    row => `<tr>${row.map(cell => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`,
  )
  return page(`<table>${lines.join('\n')}</table>`)
}
