import {FOLDER_TYPE, SHORTCUT_TYPE} from '#lib/api/wire.js'
import {printable} from '#lib/platform/sanitize.js'
import {sizeText} from '#lib/platform/size-text.js'
import {DOCUMENT_TYPE, SPREADSHEET_TYPE} from '#lib/service/content/types.js'
import {type Html, html} from '#lib/service/oauth/pages/html.js'
import type {FileItem} from './records.js'

/** Maximum number of characters of a name that a page shows. */
const NAME_LIMIT = 300

/**
 * Returns a name from a user as one line of plain text. It cannot change the direction of the text
 * around it, and is never empty, so that its link can be seen.
 */
export function nameText(name: string): string {
  return printable(name, NAME_LIMIT) || '(no name)'
}

/** Shows such a name. */
export function nameHtml(name: string): Html {
  return html`<bdi class="name">${nameText(name)}</bdi>`
}

/** Shows a time (RFC 3339) in UTC, to the minute, or exactly. */
export function timeHtml(time: string | undefined, isExact = false): Html {
  if (time === undefined) return html`<span aria-hidden="true">–</span>`
  const shown = time.replace('T', ' ').slice(0, isExact ? -1 : 16)
  return html`<time datetime="${time}">${shown}</time>`
}

/** Returns the size of an item; `undefined` for one without content. */
export function fileSizeText({fileSize}: Pick<FileItem, 'fileSize'>): string | undefined {
  return fileSize === undefined ? undefined : sizeText(Number(fileSize))
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  [FOLDER_TYPE]: 'Folder',
  [SHORTCUT_TYPE]: 'Shortcut',
  [DOCUMENT_TYPE]: 'Document',
  [SPREADSHEET_TYPE]: 'Spreadsheet',
}

/** Returns a word for a well-known media type, and other types as they are. */
export function typeText(mimeType: string): string {
  return TYPE_NAMES[mimeType] ?? printable(mimeType, 80)
}

/** `1 item`, `2 items` */
export function countText(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`
}
