import {scopeCatalogue, shortScope} from '#lib/api/description/scopes.js'
import {nearest} from '#lib/platform/nearest.js'

/** What is said of scopes when the service does not do what was asked. */

/** What is known when an answer is no. */
export interface ScopeFacts {
  /** Scopes of which the operation takes any one; none where that is not known. */
  readonly accepted: readonly string[]
  /** Scopes of the token, where the service told them. */
  readonly own?: readonly string[]
}

/** With these alone an app sees what is its own. */
const OWN_FILES: ReadonlySet<string> = new Set(['drive.file', 'drive.appdata'])

/** How far a token's scopes go: `own files` are those that were made with the app. */
export type Reach = 'unknown' | 'nothing' | 'own files' | 'all'

export function reachOf({accepted, own}: ScopeFacts): Reach {
  if (accepted.length === 0 || own === undefined) return 'unknown'
  const fitting = own.filter(scope => accepted.includes(scope))
  if (fitting.length === 0) return 'nothing'
  return fitting.every(scope => OWN_FILES.has(shortScope(scope))) ? 'own files' : 'all'
}

/**
 * What is needed and what there is, in a sentence, and whether that may be the cause: 403 and 404
 * may both mean a missing scope (spec: authorization.md, Errors), but one that is there does not
 * count as missing.
 */
export function scopeSentence(facts: ScopeFacts): string {
  const needs = needsAndHas(facts)
  if (needs === '') return ''
  switch (reachOf(facts)) {
    case 'all':
      return ` No scope is missing: ${needs}.`
    case 'own files':
      return ` T${needs.slice(1)}.`
    default:
      return ` A missing scope is answered so, too: ${needs}.`
  }
}

/** What is needed and what there is; '' where that is not known. */
export function needsAndHas({accepted, own}: ScopeFacts): string {
  if (accepted.length === 0) return ''
  const has = own ? `; the token has ${scopeNames(own)}` : ''
  return `this takes one of ${scopeNames(accepted)}${has}`
}

/** Scopes by their short names. */
export function scopeNames(scopes: readonly string[]): string {
  return scopes.map(shortScope).join(', ') || 'none'
}

/** What a name that no scope has may have meant, and which there are. */
export function scopeHint(name: string): string {
  const names = Object.keys(scopeCatalogue)
  // `readonly` and the like are what people remember of a name.
  const ends = new Map(names.map(scope => [scope.replace(/^drive\./, ''), scope]))
  const end = nearest(name, [...ends.keys()])
  const meant = nearest(name, names) ?? (end && ends.get(end))
  return `${meant ? `Did you mean ${meant}? ` : ''}There are ${names.join(', ')}.`
}
