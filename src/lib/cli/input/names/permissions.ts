import {CommandError} from '#lib/cli/terminal/errors.js'
import type {Client, Page} from '#lib/client/client.js'
import {recordsOf} from '#lib/client/pages.js'
import {nearest} from '#lib/platform/nearest.js'
import type {Candidate, Choose} from '#lib/transfer/remote/resolve-error.js'

/** What tells whose a permission is, what it allows and where it comes from. */
export const PERMISSION_FIELDS =
  'id,type,role,additionalRoles,name,emailAddress,domain,withLink,expirationDate,permissionDetails'

/** The permissions of a file, with what tells whose they are. */
export async function permissionsOf(client: Client, fileId: string): Promise<Page[]> {
  const records: Page[] = []
  const params = {
    fileId,
    maxResults: '100',
    supportsAllDrives: 'true',
    fields: `nextPageToken,items(${PERMISSION_FIELDS})`,
  }
  for await (const page of client.pages('permissions.list', {params})) {
    records.push(...recordsOf(page))
  }
  return records
}

/**
 * The ID of the permission that a file has for an e-mail address, a domain or `anyone`. Fails with
 * `CommandError('notFound')` where there is none.
 */
export async function findPermission(
  permissions: readonly Page[],
  who: string,
  choose: Choose,
): Promise<string> {
  const holders: string[] = []
  const found: Candidate[] = []
  for (const record of permissions) {
    const holder = holderOf(record)
    if (holder === undefined || typeof record.id !== 'string') continue
    holders.push(holder)
    if (holder.toLowerCase() !== who.toLowerCase()) continue
    const kind = record.withLink === true ? 'whoever has the link' : String(record.type)
    found.push({id: record.id, kind: `${kind}, ${String(record.role)}`, path: holder})
  }
  const [first, second] = found
  if (second) return (await choose(who, found)).id
  if (first) return first.id
  const meant = nearest(who, holders)
  throw new CommandError(
    'notFound',
    `The file has no permission for ${who}.`,
    meant === undefined
      ? 'See who has access with `drv permissions list`.'
      : `Did you mean ${meant}?`,
  )
}

function holderOf({type, emailAddress, domain}: Page): string | undefined {
  if (type === 'anyone') return 'anyone'
  const holder = emailAddress ?? domain
  return typeof holder === 'string' ? holder : undefined
}

/** What it allows: a commenter is a reader with another role. */
export function roleOf({role, additionalRoles}: Page): string {
  const isCommenter = Array.isArray(additionalRoles) && additionalRoles.includes('commenter')
  return role === 'reader' && isCommenter ? 'commenter' : String(role)
}
