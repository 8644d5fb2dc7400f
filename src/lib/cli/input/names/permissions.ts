import {didYouMean} from '#lib/cli/input/unknown-names.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import type {CallInput, Client, Page} from '#lib/client/client.js'
import {allRecords} from '#lib/client/pages.js'
import {ownProperty} from '#lib/platform/values.js'
import type {Choose, ResolveCandidate} from '#lib/transfer/remote/resolve-error.js'

/** Aliases of roles. */
export const ROLE_ALIASES: Readonly<Record<string, string>> = {viewer: 'reader', editor: 'writer'}

/** The service's role for a role or an alias. */
export function roleNamed(word: string): string {
  return ownProperty(ROLE_ALIASES, word) ?? word
}

/** The request for a file's permissions, with the fields for who has access, the role and its source. */
export function permissionsInput(fileId: string): CallInput {
  const record =
    'id,type,role,additionalRoles,name,emailAddress,domain,withLink,expirationDate,permissionDetails'
  const fields = `nextPageToken,items(${record})`
  return {params: {fileId, maxResults: '100', supportsAllDrives: 'true', fields}}
}

/** All permissions of a file. */
export function permissionsOf(client: Client, fileId: string): Promise<Page[]> {
  return allRecords(client, 'permissions.list', permissionsInput(fileId))
}

/**
 * The ID of the permission for an email address, a domain or `anyone`. Throws `CommandError('notFound')`
 * if the file has no such permission.
 */
export async function findPermission(
  permissions: readonly Page[],
  who: string,
  choose: Choose,
): Promise<string> {
  const holders: string[] = []
  const found: ResolveCandidate[] = []
  for (const record of permissions) {
    const holder = holderOf(record)
    if (holder === undefined || typeof record.id !== 'string') continue
    holders.push(holder)
    if (holder.toLowerCase() !== who.toLowerCase()) continue
    const kind = record.withLink === true ? 'anyone who has the link' : String(record.type)
    found.push({id: record.id, kind: `${kind}, ${String(record.role)}`, path: holder})
  }
  const [first, second] = found
  if (second) return (await choose(who, found)).id
  if (first) return first.id
  throw new CommandError(
    'notFound',
    `${who} has no permission on the file.`,
    didYouMean(who, holders, 'Run `drv permissions list` to see who has access.'),
  )
}

function holderOf({type, emailAddress, domain}: Page): string | undefined {
  if (type === 'anyone') return 'anyone'
  const holder = emailAddress ?? domain
  return typeof holder === 'string' ? holder : undefined
}

/** The role of a permission; the API represents a commenter as a reader with an additional role. */
export function effectiveRole({role, additionalRoles}: Page): string {
  const isCommenter = Array.isArray(additionalRoles) && additionalRoles.includes('commenter')
  return role === 'reader' && isCommenter ? 'commenter' : String(role)
}

/** A user, group or domain to share with, or anyone. */
export interface Grantee {
  /** The argument as typed. */
  readonly word: string
  readonly type: 'user' | 'group' | 'domain' | 'anyone'
  /** The email address or the domain. */
  readonly value?: string
}

/**
 * Parses an argument that names people: an email address, `@example.com` for a domain, or `anyone` for
 * anyone with the link. `undefined` for a file; a remote path contains a slash or a colon.
 */
export function whoIn(word: string, isGroup = false): Grantee | undefined {
  if (word === 'anyone') return {word, type: 'anyone'}
  const [, name, domain] = /^([^\s@/:]*)@([^\s@/:]+)$/.exec(word) ?? []
  if (domain === undefined) return undefined
  if (name === '') return {word, type: 'domain', value: domain}
  return {word, type: isGroup ? 'group' : 'user', value: word}
}

/** Whether a permission belongs to `who`. An email address matches users and groups. */
export function isOf({type, value = ''}: Grantee, permission: Page): boolean {
  if (type === 'anyone') return permission.type === 'anyone'
  const isDomain = permission.type === 'domain'
  if ((type === 'domain') !== isDomain) return false
  const own = isDomain ? permission.domain : permission.emailAddress
  return typeof own === 'string' && own.toLowerCase() === value.toLowerCase()
}

/** The owner of a permission as an argument that `whoIn` parses, or else `id:ID`. */
export function whoOf({type, emailAddress, domain, id}: Page): string {
  if (type === 'anyone') return 'anyone'
  if (typeof emailAddress === 'string') return emailAddress
  return type === 'domain' && typeof domain === 'string' ? `@${domain}` : `id:${String(id)}`
}
