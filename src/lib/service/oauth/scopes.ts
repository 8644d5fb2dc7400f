import {scopeCatalogue, type ScopeName, scopes, scopeValue} from '../../api/description/scopes.js'

/** What each scope holds besides itself: every operation that takes the held one takes the holder. */
const held: Partial<Record<ScopeName, readonly ScopeName[]>> = {
  drive: [
    'drive.file',
    'drive.meet.readonly',
    'drive.metadata',
    'drive.metadata.readonly',
    'drive.photos.readonly',
    'drive.readonly',
  ],
  'drive.metadata': ['drive.metadata.readonly'],
  'drive.readonly': ['drive.meet.readonly', 'drive.metadata.readonly', 'drive.photos.readonly'],
}

/** Full values without doubles and without what another one holds, in alphabetical order (reference: oauth.md, section 2). */
export function normalScopes(values: Iterable<string>): readonly string[] {
  const all = new Set(values)
  const implied = new Set(
    Object.entries(held).flatMap(([name, names]) =>
      all.has(scopeValue(name)!) ? scopes(...names) : [],
    ),
  )
  return [...all].filter(value => !implied.has(value)).sort()
}

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

/** Whether `granted` covers `wanted`, by itself or by what its members hold. */
export function covers(granted: readonly string[], wanted: readonly string[]): boolean {
  return normalScopes([...granted, ...wanted]).every(value => granted.includes(value))
}

function scopeNames(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter(name => name !== '')
}
