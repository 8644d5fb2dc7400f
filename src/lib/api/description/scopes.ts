/** The public service's scope values start with this; people may leave it out (`drive.readonly`). */
const PREFIX = 'https://www.googleapis.com/auth/'

/** Every scope the service knows, by short name, with what it lets an app do. */
export const scopeCatalogue = {
  drive: 'Full access to all your files.',
  'drive.appdata': "Full access to the app's own hidden folder, and to nothing else.",
  'drive.apps.readonly': 'See which apps you have installed.',
  'drive.file': 'Full access to files made or opened with this app, and to no others.',
  'drive.meet.readonly': 'Read files that come from video meetings.',
  'drive.metadata': 'Read and change facts about your files, but not their content.',
  'drive.metadata.readonly': 'Read facts about your files, but not their content.',
  'drive.photos.readonly': 'Look at your photo library.',
  'drive.readonly': 'Read all your files and their content.',
  'drive.scripts': 'Change what your scripts do.',
} as const

export type ScopeName = keyof typeof scopeCatalogue

/** Scope values as they stand in the document, from short names. */
export function scopes(...names: readonly ScopeName[]): readonly string[] {
  return names.map(name => PREFIX + name)
}

/** What `drive` holds besides itself. */
const underDrive = [
  'drive.file',
  'drive.meet.readonly',
  'drive.metadata',
  'drive.metadata.readonly',
  'drive.photos.readonly',
  'drive.readonly',
] as const

/*
 * Sets that several methods share. Any one scope of a set is enough (reference: operations.md).
 */

/** To see with whom a file is shared. The app's own hidden folder is never shared. */
export const readPermissionScopes = scopes('drive', ...underDrive)

/** To read a file and what hangs on it. */
export const readScopes = scopes('drive', 'drive.appdata', ...underDrive)

/** To list files and follow their changes: every scope but that for scripts. */
export const followScopes = scopes('drive', 'drive.appdata', 'drive.apps.readonly', ...underDrive)

/** To change content, or where a file is. */
export const writeScopes = scopes('drive', 'drive.appdata', 'drive.file')

/** To make a file, throw it away or get it back, also as an app that opens others' files. */
export const insertScopes = scopes('drive', 'drive.appdata', 'drive.apps.readonly', 'drive.file')

/** To change facts about a file, but not its content. */
export const writeMetadataScopes = scopes('drive', 'drive.appdata', 'drive.file', 'drive.metadata')

/** To share a file, or to take it out of a folder. */
export const shareScopes = scopes('drive', 'drive.file')

/** A set without some of its scopes. */
export function lessScopes(
  values: readonly string[],
  ...names: readonly ScopeName[]
): readonly string[] {
  const left = new Set(scopes(...names))
  return values.filter(value => !left.has(value))
}

/** The scope value for a name in either spelling; `undefined` for a name the service does not know. */
export function scopeValue(name: string): string | undefined {
  const short = shortScope(name)
  return Object.hasOwn(scopeCatalogue, short) ? PREFIX + short : undefined
}

/** Scopes in their full spelling, in which services may leave out the beginning. Unknown values stay as they are. */
export function fullScopes(values: readonly string[]): readonly string[] {
  return values.map(value => scopeValue(value) ?? value)
}

/** The short spelling of a scope, for people to read. Unknown values stay as they are. */
export function shortScope(value: string): string {
  return value.startsWith(PREFIX) ? value.slice(PREFIX.length) : value
}

/** What each scope holds besides itself: every operation that takes the held one takes the holder. */
const held: Partial<Record<ScopeName, readonly ScopeName[]>> = {
  drive: underDrive,
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
