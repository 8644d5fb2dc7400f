import {didYouMean} from '#lib/cli/input/unknown-names.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import type {CallInput, Client, Page} from '#lib/client/client.js'
import {allRecords} from '#lib/client/pages.js'
import {own} from '#lib/platform/values.js'
import type {Candidate, Choose} from '#lib/transfer/remote/resolve-error.js'

/** Everyday names of roles. */
export const ROLE_ALIASES: Readonly<Record<string, string>> = {viewer: 'reader', editor: 'writer'}

/** The role that a word stands for. */
export function roleNamed(word: string): string {
  return own(ROLE_ALIASES, word) ?? word
}

/** The request for the permissions of a file, with what tells whose they are, what they allow and whence. */
export function permissionsInput(fileId: string): CallInput {
  const record =
    'id,type,role,additionalRoles,name,emailAddress,domain,withLink,expirationDate,permissionDetails'
  const fields = `nextPageToken,items(${record})`
  return {params: {fileId, maxResults: '100', supportsAllDrives: 'true', fields}}
}

/** The permissions of a file, with what tells whose they are. */
export function permissionsOf(client: Client, fileId: string): Promise<Page[]> {
  return allRecords(client, 'permissions.list', permissionsInput(fileId))
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
  throw new CommandError(
    'notFound',
    `The file has no permission for ${who}.`,
    didYouMean(who, holders, 'See who has access with `drv permissions list`.'),
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

/** Somebody with whom something is shared. */
export interface Who {
  /** As it was written. */
  readonly word: string
  readonly type: 'user' | 'group' | 'domain' | 'anyone'
  /** The address or the domain. */
  readonly value?: string
}

/**
 * Reads a word that names people: an e-mail address, `@example.com` for a whole domain, `anyone` for
 * whoever has the link; `undefined` for any other, which names a file. A path has a slash or a colon.
 */
export function whoIn(word: string, isGroup = false): Who | undefined {
  if (word === 'anyone') return {word, type: 'anyone'}
  const [, name, domain] = /^([^\s@/:]*)@([^\s@/:]+)$/.exec(word) ?? []
  if (domain === undefined) return undefined
  if (name === '') return {word, type: 'domain', value: domain}
  return {word, type: isGroup ? 'group' : 'user', value: word}
}

/** Whether a permission is theirs. What has an address may be a person or a group. */
export function isOf({type, value = ''}: Who, permission: Page): boolean {
  if (type === 'anyone') return permission.type === 'anyone'
  const isDomain = permission.type === 'domain'
  if ((type === 'domain') !== isDomain) return false
  const own = isDomain ? permission.domain : permission.emailAddress
  return typeof own === 'string' && own.toLowerCase() === value.toLowerCase()
}

/** The word for whose a permission is, as `whoIn` reads it; its ID where nothing else tells. */
export function whoOf({type, emailAddress, domain, id}: Page): string {
  if (type === 'anyone') return 'anyone'
  if (typeof emailAddress === 'string') return emailAddress
  return type === 'domain' && typeof domain === 'string' ? `@${domain}` : `id:${String(id)}`
}
