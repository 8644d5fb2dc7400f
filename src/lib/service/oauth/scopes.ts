import {scopeCatalogue, type ScopeName, scopes, scopeValue} from '../../api/description/scopes.js'
import {normalScopes} from '../../api/scopes.js'

export {covers, normalScopes} from '../../api/scopes.js'

/** The scopes of an app's request, delimited by spaces (or commas) and in either spelling. Unknown ones are left out. */
export function requestedScopes(text: string): readonly string[] {
  const values = scopeNames(text).map(scopeValue)
  return normalScopes(values.filter(value => value !== undefined))
}

/** The names in a list that the service does not know. */
export function unknownScopes(text: string): readonly string[] {
  return scopeNames(text).filter(name => scopeValue(name) === undefined)
}

/** Everything a token can be allowed. */
export function allScopes(): readonly string[] {
  return normalScopes(scopes(...(Object.keys(scopeCatalogue) as ScopeName[])))
}

function scopeNames(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter(name => name !== '')
}
