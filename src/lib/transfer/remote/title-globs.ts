import {titleKey} from '#lib/transfer/local/names.js'
import {patternTest} from '#lib/transfer/local/patterns.js'

/** Globs for titles: `*`, `?` and `[a-z]`; a backslash escapes special characters. */

/** Whether a text may be a glob. */
export function hasWildcards(text: string): boolean {
  return /[*?]|\[[^\]]+\]/.test(text)
}

/** A function that tests whether a whole title matches a glob. */
export async function titleMatcher(
  glob: string,
  {ignoreCase}: {readonly ignoreCase: boolean},
): Promise<(title: string) => boolean> {
  const keyOf = (text: string) => (ignoreCase ? titleKey(text).toLowerCase() : titleKey(text))
  if (!hasWildcards(glob)) return title => keyOf(title) === keyOf(glob)
  const matches = await patternTest([patternOf(glob)], {ignoreCase})
  return title => matches(asName(title))
}

/** The glob as a `.gitignore` rule that matches one whole name. */
function patternOf(glob: string): string {
  return `/${asName(glob).replace(/\s+$/, blanks => blanks.replace(/./gs, '\\$&'))}`
}

/** A title as a single name of a path, because titles may contain slashes or be just dots. */
function asName(title: string): string {
  return `=${titleKey(title).replaceAll('/', '\u2215')}`
}
