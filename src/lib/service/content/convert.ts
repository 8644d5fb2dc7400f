import {parse} from 'csv-parse/sync'
import {stringify} from 'csv-stringify/sync'
import {DOCUMENT_TYPE, SPREADSHEET_TYPE} from './types.js'

/**
 * Converts editor documents from and to other formats. The source of a document is stored as HTML,
 * that of a spreadsheet as CSV, both in UTF-8. All functions are pure, from text to text.
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
    // The byte order mark tells programs that the encoding is UTF-8 (reference: protocols.md, section 3).
    'text/plain': text => BYTE_ORDER_MARK + textFromHtml(text),
  },
  [SPREADSHEET_TYPE]: {
    'text/csv': same,
    'text/html': text => htmlTable(parseDelimited(text, ',')),
    'text/tab-separated-values': text => delimited(parseDelimited(text, ','), '\t'),
  },
}

/** A media type and the types that it converts to. */
interface Conversion {
  readonly source: string
  readonly targets: readonly string[]
}

/** The conversions to editor documents, sorted by media type (reference: resources.md, About.importFormats). */
export function importFormats(): Conversion[] {
  const pairs = Object.entries(imports).flatMap(([target, sources]) =>
    Object.keys(sources).map(source => ({source, targets: [target]})),
  )
  return pairs.sort((a, b) => (a.source < b.source ? -1 : 1))
}

/** The conversions from editor documents (reference: resources.md, About.exportFormats). */
export function exportFormats(): Conversion[] {
  return Object.keys(exports).map(source => ({source, targets: exportTypes(source)}))
}

/** The media types that files of `mimeType` can be exported to; `[]` unless it is an editor type. */
export function exportTypes(mimeType: string): string[] {
  return Object.keys(exports[mimeType] ?? {})
}

/** The editor type for content of this type with `convert=true`; `undefined` if it cannot be converted. */
export function importTarget(mimeType: string): string | undefined {
  return Object.keys(imports).find(target => imports[target]![mimeType])
}

/** Converts content of type `from` to the source of a document of `type`; `undefined` if this is not supported. */
export function importSource(type: string, from: string, text: string): string | undefined {
  return imports[type]?.[from]?.(withoutMark(text))
}

/** Converts the source of a document of `type` to `to`; `undefined` if this is not supported. */
export function exportSource(type: string, to: string, source: string): string | undefined {
  return exports[type]?.[to]?.(source)
}

/** The plain text in the source of a document of `type`, for search. */
export function sourceText(type: string, source: string): string {
  return type === DOCUMENT_TYPE ? textFromHtml(source) : source
}

function withoutMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
}

/** Plain text as an HTML page. `textFromHtml` returns exactly the same text. */
function htmlFromText(text: string): string {
  // HTML parsers drop the first line end after <pre>, so add one.
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

/** The start of an element or comment whose content is hidden or preformatted. */
const OPENING = /<!--|<(head|script|style|template|pre)\b/gi
const LINE_ENDS =
  /<br\b[^<>]*>|<\/(?:p|div|li|h[1-6]|tr|blockquote|section|article|header|footer)\s*>/gi
const TAGS = /<[/!]?[a-z][^<>]*>/gi

/** The text of a page: one line per block. Whitespace is collapsed, except inside `<pre>`. */
function textFromHtml(html: string): string {
  const parts = sectionsOf(html).map(({text, isPre}) =>
    isPre ? text.replace(TAGS, '') : flowText(text),
  )
  // Trim the page, but not text inside <pre>.
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

/** The visible sections of a page, alternately flowing text and the content of `<pre>`. The first and last are flowing text. */
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

/** The start and end of the content of an element or comment, and the position after it. An unclosed one ends with the page. */
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
 * The rows of delimited text with optional double quotes (RFC 4180). Accepts malformed text: quotes
 * inside a cell are part of it, and the end of the text closes an open quote.
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

/** Rows as delimited text with a line end after each row. Only cells that need quotes get them. */
function delimited(rows: readonly string[][], delimiter: string): string {
  return stringify([...rows], {delimiter, quoted_match: /[\r\n]/})
}

function htmlTable(rows: readonly string[][]): string {
  const lines = rows.map(
    row => `<tr>${row.map(cell => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`,
  )
  return page(`<table>${lines.join('\n')}</table>`)
}
