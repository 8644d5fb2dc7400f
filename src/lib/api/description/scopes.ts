/** Prefix of the public service's scope values; optional in input (`drive.readonly`). */
const PREFIX = 'https://www.googleapis.com/auth/'

/** All scopes of the service by short name, with a description of the access they grant. */
export const scopeCatalog = {
  drive: 'Full access to all your files.',
  'drive.appdata': "Full access, but only to the app's hidden data folder.",
  'drive.apps.readonly': 'List your installed apps.',
  'drive.file': 'Full access, but only to files created or opened with this app.',
  'drive.meet.readonly': 'Read files created in video meetings.',
  'drive.metadata': 'Read and change metadata of your files, but not their content.',
  'drive.metadata.readonly': 'Read metadata of your files, but not their content.',
  'drive.photos.readonly': 'View your photo library.',
  'drive.readonly': 'Read all your files and their metadata.',
  'drive.scripts': 'Change the behavior of your scripts.',
} as const

export type ScopeName = keyof typeof scopeCatalog

/** The full scope values of short names. */
export function scopes(...names: readonly ScopeName[]): readonly string[] {
  return names.map(name => PREFIX + name)
}

/** Scopes that `drive` includes. */
const underDrive = [
  'drive.file',
  'drive.meet.readonly',
  'drive.metadata',
  'drive.metadata.readonly',
  'drive.photos.readonly',
  'drive.readonly',
] as const

/*
 * Scope sets shared by several methods. Any one scope of a set is sufficient (reference: operations.md).
 */

/** For reading permissions. `drive.appdata` is absent because the hidden data folder is never shared. */
export const readPermissionScopes = scopes('drive', ...underDrive)

/** For reading a file and its parents, properties and revisions. */
export const readScopes = scopes('drive', 'drive.appdata', ...underDrive)

/** For listing files and changes: every scope except `drive.scripts`. */
export const followScopes = scopes('drive', 'drive.appdata', 'drive.apps.readonly', ...underDrive)

/** For changing a file's content or parents. */
export const writeScopes = scopes('drive', 'drive.appdata', 'drive.file')

/** For creating, trashing and restoring files. */
export const insertScopes = scopes('drive', 'drive.appdata', 'drive.apps.readonly', 'drive.file')

/** For changing a file's metadata. */
export const writeMetadataScopes = scopes('drive', 'drive.appdata', 'drive.file', 'drive.metadata')

/** For sharing a file, or removing it from a folder. */
export const shareScopes = scopes('drive', 'drive.file')

/** The full values without those of some short names. */
export function withoutScopes(
  values: readonly string[],
  ...names: readonly ScopeName[]
): readonly string[] {
  const excluded = new Set(scopes(...names))
  return values.filter(value => !excluded.has(value))
}

/** The full value of a scope given in its full or short form; `undefined` for an unknown scope. */
export function scopeValue(name: string): string | undefined {
  const short = shortScope(name)
  return Object.hasOwn(scopeCatalog, short) ? PREFIX + short : undefined
}

/** The full values of scopes in either form, because services may omit the prefix. Unknown values are kept. */
export function fullScopes(values: readonly string[]): readonly string[] {
  return values.map(value => scopeValue(value) ?? value)
}

/** The short form of a scope, for display. Unknown values are kept. */
export function shortScope(value: string): string {
  return value.startsWith(PREFIX) ? value.slice(PREFIX.length) : value
}

/** The scopes that each scope includes: every operation that accepts an included one accepts it too. */
const included: Partial<Record<ScopeName, readonly ScopeName[]>> = {
  drive: underDrive,
  'drive.metadata': ['drive.metadata.readonly'],
  'drive.readonly': ['drive.meet.readonly', 'drive.metadata.readonly', 'drive.photos.readonly'],
}

/** Full values in alphabetical order, without duplicates and without scopes included in others (reference: oauth.md, section 2). */
export function normalScopes(values: Iterable<string>): readonly string[] {
  const all = new Set(values)
  const implied = new Set(
    Object.entries(included).flatMap(([name, names]) =>
      all.has(scopeValue(name)!) ? scopes(...names) : [],
    ),
  )
  return [...all].filter(value => !implied.has(value)).sort()
}

/** The required scopes that `granted` does not cover. */
export function missingScopes(
  granted: readonly string[],
  required: readonly string[],
): readonly string[] {
  return required.filter(value => !covers(granted, [value]))
}

/** Whether `granted` covers all of `required`, directly or through included scopes. */
export function covers(granted: readonly string[], required: readonly string[]): boolean {
  return normalScopes([...granted, ...required]).every(value => granted.includes(value))
}

/**
 * The message for a scope that does not exist. It has no quotation marks, because OAuth errors must not contain them
 * (RFC 6749, section 5.2).
 */
export function unknownScopeText(name: string): string {
  return `Unknown scope: ${name}.`
}
