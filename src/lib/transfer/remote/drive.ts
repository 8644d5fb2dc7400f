import type {Client} from '#lib/client/client.js'
import {recordsOf} from '#lib/client/pages.js'
import {titleKey} from '#lib/transfer/local/names.js'
import {type Candidate, type Choose, missing} from './resolveerror.js'

/** The shared drive of a name. Throws `ResolveError`. */
export async function findDriveNamed(
  client: Client,
  name: string,
  choose: Choose,
): Promise<{readonly id: string; readonly title: string}> {
  const names: string[] = []
  const found: Candidate[] = []
  const fields = 'nextPageToken,items(id,name,createdDate)'
  const params = {maxResults: '100', fields}
  for await (const page of client.pages('drives.list', {params})) {
    for (const {id, name: title, createdDate} of recordsOf(page)) {
      if (typeof id !== 'string' || typeof title !== 'string') continue
      names.push(title)
      if (titleKey(title) !== titleKey(name)) continue
      const date = typeof createdDate === 'string' ? {date: createdDate} : {}
      found.push({id, kind: 'a shared drive', path: `drive:${title}`, ...date})
    }
  }
  const [first, second] = found
  if (!first) throw missing(`There is no shared drive ${JSON.stringify(name)}`, name, names)
  const {id} = second ? await choose(`drive:${name}`, found) : first
  return {id, title: name}
}
