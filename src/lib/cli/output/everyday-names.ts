import {own} from '#lib/platform/values.js'

/** The names by which people call fields of records; each stands for the first of some that is there. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  name: ['title', 'file.title', 'drive.name'],
  title: ['name'],
  size: ['fileSize', 'file.fileSize'],
  owner: ['ownerNames'],
  owners: ['ownerNames'],
  modified: ['modifiedDate', 'modificationDate'],
  created: ['createdDate'],
  viewed: ['lastViewedByMeDate'],
  expires: ['expirationDate'],
  type: ['mimeType'],
  md5: ['md5Checksum'],
  sha1: ['sha1Checksum'],
  sha256: ['sha256Checksum'],
  email: ['emailAddress'],
  link: ['alternateLink'],
  url: ['alternateLink'],
  starred: ['labels.starred'],
  trashed: ['labels.trashed'],
}

/** The field that a column stands for, where records have none of its own name. */
export function fieldFor(column: string, known: readonly string[]): string {
  if (known.includes(column)) return column
  return own(ALIASES, column)?.find(field => known.includes(field)) ?? column
}

/** The everyday names of some fields that are not names of fields themselves. */
export function everydayNames(known: readonly string[]): string[] {
  return Object.keys(ALIASES).filter(name => fieldFor(name, known) !== name)
}

/** Whether any of some columns may stand for a field of another name. */
export function mayBeEveryday(columns: readonly string[]): boolean {
  return columns.some(column => Object.hasOwn(ALIASES, column))
}
