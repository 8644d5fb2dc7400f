import type {Page} from '#lib/client/client.js'

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
