import type {Client} from '#lib/client/client.js'
import {titleKey} from '#lib/transfer/local/names.js'
import {entriesInFolders, type EntryInFolders, type Search, searchParameters} from './records.js'

/** All that a search finds, of all its pages. */
export async function searchEntries(
  client: Client,
  wanted: Search,
): Promise<readonly EntryInFolders[]> {
  const found: EntryInFolders[] = []
  for await (const page of client.pages('files.list', {params: searchParameters(wanted)})) {
    found.push(...entriesInFolders(page))
  }
  return found
}

/** What has just that title: the service compares titles without regard to capitals. */
export function named(name: string, found: readonly EntryInFolders[]): EntryInFolders[] {
  const key = titleKey(name)
  return found.filter(({entry}) => titleKey(entry.title) === key)
}
