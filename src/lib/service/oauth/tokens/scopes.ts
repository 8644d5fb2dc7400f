import {
  normalScopes,
  scopeCatalog,
  type ScopeName,
  scopes,
  scopeValue,
} from '#lib/api/description/scopes.js'

export {covers, normalScopes, unknownScopeText} from '#lib/api/description/scopes.js'

/** Returns the full values of the scopes in a text, separated by spaces or commas and in either spelling. Omits unknown scopes. */
export function requestedScopes(text: string): readonly string[] {
  return normalScopes(requestedNames(text).map(fullScope))
}

/**
 * Like `requestedScopes`, but keeps the spelling of the request, because many clients do not recognize
 * a granted scope in another spelling.
 */
export function requestedNames(text: string): readonly string[] {
  return normalNames(scopeNames(text).filter(name => scopeValue(name) !== undefined))
}

/** Removes duplicates and scopes that another scope includes; keeps the spelling, in the order of full values. */
export function normalNames(names: Iterable<string>): readonly string[] {
  const spelling = new Map([...names].reverse().map(name => [fullScope(name), name]))
  return normalScopes(spelling.keys()).map(value => spelling.get(value)!)
}

/** Returns the full value of a scope in either spelling; unknown scopes are unchanged. */
export function fullScope(name: string): string {
  return scopeValue(name) ?? name
}

/** Returns the unknown scopes in a text. */
export function unknownScopes(text: string): readonly string[] {
  return scopeNames(text).filter(name => scopeValue(name) === undefined)
}

/** Returns the full values of all scopes, without those that another scope includes. */
export function allScopes(): readonly string[] {
  return normalScopes(scopes(...(Object.keys(scopeCatalog) as ScopeName[])))
}

function scopeNames(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter(name => name !== '')
}
