import {titleKey} from '#lib/transfer/local/names.js'
import {quoted} from '#lib/transfer/remote/records.js'
import type {Criterion} from './criterion.js'

/** Whether a glob has signs that stand for others. */
export function hasWildcards(glob: string): boolean {
  return /[*?[\\]/.test(glob)
}

/** Files whose whole title fits a glob, whatever its capitals, as the service itself compares titles. */
export async function nameCriterion(glob: string): Promise<Criterion> {
  const {default: ignore} = await import('ignore')
  const rules = ignore({ignorecase: true}).add({pattern: patternOf(glob)})
  return {
    term: termFor(glob),
    fits: ({title}) => typeof title === 'string' && rules.ignores(asName(title)),
  }
}

/**
 * What the service can say of it (reference: protocols.md, section 5): the whole title; of a glob the
 * letters that it begins with, which begin the first word of the title.
 */
function termFor(glob: string): string | undefined {
  if (!hasWildcards(glob)) return `title = ${quoted(glob)}`
  const [start] = /^[a-z\d]+/i.exec(glob) ?? []
  return start === undefined ? undefined : `title contains ${quoted(start)}`
}

/** The glob as a rule of `.gitignore` that is about the whole of one name. */
function patternOf(glob: string): string {
  return `/${asName(glob).replace(/\s+$/, blanks => blanks.replace(/./gs, '\\$&'))}`
}

/** A title as one name of a path: a title may have a slash, or be nothing but a dot. */
function asName(title: string): string {
  return `=${titleKey(title).replaceAll('/', '\u2215')}`
}
