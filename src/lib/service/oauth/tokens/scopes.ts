import {
  normalScopes,
  scopeCatalog,
  type ScopeName,
  scopes,
  scopeValue,
} from '#lib/api/description/scopes.js'

export {covers, normalScopes} from '#lib/api/description/scopes.js'

/** The full values of scopes that a text names, delimited by spaces (or commas) and in either spelling. Unknown ones are left out. */
export function requestedScopes(text: string): readonly string[] {
  return normalScopes(requestedNames(text).map(fullScope))
}

/**
 * The scopes of an app's request, as `requestedScopes`, but each in the spelling of the request:
 * many clients take a grant under another name for one of something else.
 */
export function requestedNames(text: string): readonly string[] {
  return normalNames(scopeNames(text).filter(name => scopeValue(name) !== undefined))
}

/** Scopes in either spelling, without doubles and without what another one holds, in the order of full values. */
export function normalNames(names: Iterable<string>): readonly string[] {
  const spelling = new Map([...names].reverse().map(name => [fullScope(name), name]))
  return normalScopes(spelling.keys()).map(value => spelling.get(value)!)
}

/** The full value of a scope in either spelling; what the service does not know stays as it is. */
export function fullScope(name: string): string {
  return scopeValue(name) ?? name
}

/** The names in a list that the service does not know. */
export function unknownScopes(text: string): readonly string[] {
  return scopeNames(text).filter(name => scopeValue(name) === undefined)
}

/** Everything a token can be allowed. */
export function allScopes(): readonly string[] {
  return normalScopes(scopes(...(Object.keys(scopeCatalog) as ScopeName[])))
}

function scopeNames(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter(name => name !== '')
}
