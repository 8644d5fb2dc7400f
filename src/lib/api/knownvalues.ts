/**
 * Values that the description tells in words only, by the parameter or the field that has them; the
 * fields of a record with its name in front.
 */
export const knownValues = {
  corpora: ['default', 'domain', 'drive', 'allDrives'],
  includePermissionsForView: ['published'],
  orderBy: [
    'createdDate',
    'folder',
    'lastViewedByMeDate',
    'modifiedByMeDate',
    'modifiedDate',
    'quotaBytesUsed',
    'recency',
    'sharedWithMeDate',
    'starred',
    'title',
    'title_natural',
  ],
  spaces: ['drive', 'appDataFolder', 'photos'],
  'Channel.type': ['web_hook', 'webhook'],
  'Permission.additionalRoles': ['commenter'],
  'Permission.role': ['owner', 'organizer', 'fileOrganizer', 'writer', 'reader'],
  'Permission.type': ['user', 'group', 'domain', 'anyone'],
  'Property.visibility': ['PRIVATE', 'PUBLIC'],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** Parameters whose value is a list with commas; each key of an order may have ` desc` behind it. */
const LISTS = new Set(['orderBy', 'spaces'])

/** A value that is none of those that are known, with all that are. */
export interface UnknownValue {
  readonly value: string
  readonly known: readonly string[]
}

/** The first value under a name that is not known; nothing where any may be right. */
export function unknownValue(name: string, given: unknown): UnknownValue | undefined {
  if (!Object.hasOwn(knownValues, name)) return undefined
  const known: readonly string[] = knownValues[name as keyof typeof knownValues]
  const texts = [given].flat().filter(value => typeof value === 'string')
  const values = LISTS.has(name)
    ? texts.flatMap(text => text.split(',').map(part => part.trim()))
    : texts
  const plain = name === 'orderBy' ? values.map(value => value.replace(/ +desc$/i, '')) : values
  const value = plain.find(text => !known.includes(text))
  return value === undefined ? undefined : {value, known}
}
