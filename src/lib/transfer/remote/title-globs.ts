import {titleKey} from '#lib/transfer/local/names.js'

/** Globs for titles: `*`, `?` and `[a-z]`, with a backslash in front of signs that stand for themselves. */

/** Whether a text may be a glob rather than a name. */
export function hasWildcards(text: string): boolean {
  return /[*?]|\[[^\]]+\]/.test(text)
}

/** Tests whether a whole title fits a glob. */
export async function titleMatcher(
  glob: string,
  {ignoreCase}: {readonly ignoreCase: boolean},
): Promise<(title: string) => boolean> {
  const keyOf = (text: string) => (ignoreCase ? titleKey(text).toLowerCase() : titleKey(text))
  if (!hasWildcards(glob)) return title => keyOf(title) === keyOf(glob)
  const {default: ignore} = await import('ignore')
  const rules = ignore({ignorecase: ignoreCase}).add({pattern: patternOf(glob)})
  return title => rules.ignores(asName(title))
}

/** The glob as a rule of `.gitignore` that is about the whole of one name. */
function patternOf(glob: string): string {
  return `/${asName(glob).replace(/\s+$/, blanks => blanks.replace(/./gs, '\\$&'))}`
}

/** A title as one name of a path: a title may have a slash, or be nothing but a dot. */
function asName(title: string): string {
  return `=${titleKey(title).replaceAll('/', '\u2215')}`
}
