import {DOCUMENT_TYPE, SPREADSHEET_TYPE} from './types.js'

/**
 * Editor documents and the formats they come from and go to. A document is kept as HTML, a
 * spreadsheet as CSV: its source, UTF-8. Everything here is a pure function from text to text.
 */

type Convert = (text: string) => string

const same: Convert = text => text

const imports: Readonly<Record<string, Readonly<Record<string, Convert>>>> = {
  [DOCUMENT_TYPE]: {'text/html': same, 'text/markdown': htmlFromText, 'text/plain': htmlFromText},
  [SPREADSHEET_TYPE]: {
    'text/csv': text => delimited(parseDelimited(text, ','), ','),
    'text/tab-separated-values': text => delimited(parseDelimited(text, '\t'), ','),
  },
}

const exports: typeof imports = {
  [DOCUMENT_TYPE]: {'text/html': text => text || htmlFromText(''), 'text/plain': textFromHtml},
  [SPREADSHEET_TYPE]: {
    'text/csv': same,
    'text/html': text => htmlTable(parseDelimited(text, ',')),
    'text/tab-separated-values': text => delimited(parseDelimited(text, ','), '\t'),
  },
}

/** A media type with those it can become. */
export interface Conversion {
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

function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text
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

const HIDDEN = /<!--[\s\S]*?-->|<(head|script|style|template)\b[\s\S]*?<\/\1\s*>|<![^>]*>/gi
const LINE_ENDS =
  /<br\b[^>]*>|<\/(?:p|div|li|h[1-6]|tr|blockquote|section|article|header|footer)\s*>/gi

/** The words of a page: a line for each block, blanks as in the page only inside `<pre>`. */
function textFromHtml(html: string): string {
  const parts = html.replace(HIDDEN, '').split(/(<pre\b[^>]*>[\s\S]*?<\/pre\s*>)/i)
  const text = parts
    .map(part =>
      /^<pre\b/i.test(part)
        ? part.replace(/^<pre\b[^>]*>\n?/i, '')
        : part
            .replace(/\s+/g, ' ')
            .replace(LINE_ENDS, '\n')
            .replace(/<\/t[dh]\s*>/gi, '\t'),
    )
    .map(part => part.replace(/<\/?[a-z][^>]*>/gi, ''))
    .map((part, index) => (index % 2 ? part : part.replace(/ *\n */g, '\n')))
  // Blanks around the whole page are no part of its words; those inside <pre> are.
  if (parts.length > 1) {
    text[0] = text[0]!.trimStart()
    text[text.length - 1] = text.at(-1)!.trimEnd()
    return decodeEntities(text.join(''))
  }
  return decodeEntities(text.join('').trim())
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

/** The rows of a table of cells between delimiters; cells may stand in double quotes (RFC 4180). */
export function parseDelimited(text: string, delimiter: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let quoted = false
  const endCell = () => {
    row.push(cell)
    cell = ''
  }
  const endRow = () => {
    endCell()
    rows.push(row)
    row = []
  }
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!
    if (quoted) {
      if (character !== '"') cell += character
      else if (text[at + 1] === '"') cell += text[++at]!
      else quoted = false
    } else if (character === '"' && cell === '') quoted = true
    else if (character === delimiter) endCell()
    else if (character === '\n') endRow()
    else if (character === '\r' && text[at + 1] === '\n') continue
    else cell += character
  }
  if (cell !== '' || row.length > 0) endRow()
  return rows
}

/** Rows as text, a line end behind each; quotes only around cells that need them. */
function delimited(rows: readonly string[][], delimiter: string): string {
  const cellText = (cell: string) =>
    /["\r\n]/.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell
  return rows.map(row => `${row.map(cellText).join(delimiter)}\n`).join('')
}

function htmlTable(rows: readonly string[][]): string {
  const lines = rows.map(
    row => `<tr>${row.map(cell => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`,
  )
  return page(`<table>${lines.join('\n')}</table>`)
}
