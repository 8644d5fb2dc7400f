/** HTML markup. Only `html` creates it; all other values are escaped. */
export interface Html {
  readonly html: string
}

type Part = Html | string | number | undefined | false | readonly Part[]

/** Returns the HTML of a template. Escapes all values except `Html`; `undefined` and `false` insert nothing. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return {html: texts.map((text, i) => text + markup(parts[i])).join('')}
}

function markup(part: Part): string {
  if (part === undefined || part === false) return ''
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part))
  return 'html' in part ? part.html : part.map(markup).join('')
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, sign => `&#${sign.charCodeAt(0)};`)
}

/** An SVG icon on a grid of 24 by 24, hidden from screen readers. */
function icon(path: string): Html {
  return {
    html:
      '<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" ' +
      `stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${path}"/></svg>`,
  }
}

export const folderIcon = icon(
  'M3 7a2 2 0 0 1 2-2h4l2 2.5h8a2 2 0 0 1 2 2V17a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z',
)
export const fileIcon = icon('M6 3h8l4 4v14H6zM14 3v4h4')
export const checkIcon = icon('M5 12.5l4.5 4.5L19 7.5')
export const crossIcon = icon('M7 7l10 10M17 7L7 17')
export const keyIcon = icon('M14 10a4 4 0 1 0-3.2 3.9L13 16h2v2h2v2h3v-3l-6-6z')
