import {ownProperty} from '#lib/platform/values.js'

/** Everyday names of fields, each for the first existing field of a list. */
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

/** The field for a column; the column itself if the records have a field of that name. */
export function fieldFor(column: string, known: readonly string[]): string {
  if (known.includes(column)) return column
  return ownProperty(ALIASES, column)?.find(field => known.includes(field)) ?? column
}

/** The everyday names that apply to the known fields. */
export function everydayNames(known: readonly string[]): string[] {
  return Object.keys(ALIASES).filter(name => fieldFor(name, known) !== name)
}

/** Whether any column can be an everyday name. */
export function mayBeEveryday(columns: readonly string[]): boolean {
  return columns.some(column => Object.hasOwn(ALIASES, column))
}
