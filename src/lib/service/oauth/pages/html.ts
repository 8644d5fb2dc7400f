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
