/** Text that is HTML already. Only `html` makes it, so what is not `Html` is escaped. */
export interface Html {
  readonly html: string
}

type Part = Html | string | number | undefined | false | readonly Part[]

/** HTML from a template: every value put in is escaped, unless it is HTML itself; `undefined` and `false` are nothing. */
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

/** Outlines on a square of 24 by 24; they only decorate what words say. */
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
export const checkIcon = icon('M5 12.5l4.5 4.5L19 7.5')
export const crossIcon = icon('M7 7l10 10M17 7L7 17')
export const keyIcon = icon('M14 10a4 4 0 1 0-3.2 3.9L13 16h2v2h2v2h3v-3l-6-6z')
