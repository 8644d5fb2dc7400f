import {runInNewContext} from 'node:vm'

/** Milliseconds that one check of a pattern may take; those of real descriptions take less than one. */
const PATIENCE = 100

/** Patterns that took longer: they are not run again. */
const slow = new Set<string>()

/**
 * Whether a pattern, in the dialect of Java, matches a whole text. One that JavaScript does not know, or
 * that takes too long, matches any text: the service checks it.
 *
 * Patterns come from services, and a regular expression can take for ever on a text of forty letters.
 * V8 ends it on time as a script of its own, where nothing else would be heard meanwhile, Ctrl-C included.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  if (slow.has(pattern)) return true
  try {
    const script = "new RegExp('^(?:' + pattern + ')$').test(text)"
    return runInNewContext(script, {pattern, text}, {timeout: PATIENCE}) as boolean
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') slow.add(pattern)
    return true
  }
}
