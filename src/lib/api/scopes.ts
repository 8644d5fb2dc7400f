import {type ScopeName, scopes, scopeValue} from './description/scopes.js'

/** How scopes contain each other: the client keeps a token that covers what is asked, the service drops what is doubly asked. */

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

/** Scopes that were asked for and are not covered. */
export function missingScopes(
  granted: readonly string[],
  wanted: readonly string[],
): readonly string[] {
  return wanted.filter(value => !covers(granted, [value]))
}

/** Whether `granted` covers `wanted`, by itself or by what its members hold. */
export function covers(granted: readonly string[], wanted: readonly string[]): boolean {
  return normalScopes([...granted, ...wanted]).every(value => granted.includes(value))
}
