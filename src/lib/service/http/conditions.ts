/**
 * Whether the list of entity tags in an `If-Match` or `If-None-Match` header names this one
 * (reference: protocols.md, section 3, ETag preconditions). `*` names any that exists; a weak tag
 * compares equal to the strong one.
 */
export function namesTag(header: string, tag: string): boolean {
  if (header.trim() === '*') return true
  const tags = header.match(/(?:W\/)?"[^"]*"/g) ?? [header.trim()]
  return tags.some(named => strong(named) === strong(tag))
}

function strong(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag
}
