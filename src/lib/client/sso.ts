import {pageAddress} from '#lib/config/address.js'

/** What the header `X-Service-SSO` says (spec: authorization.md, Errors; reference: oauth.md, section 6). */
export interface Sso {
  /** Where a person can let the token into an organization; good for an hour. */
  readonly url?: string
  /** The organizations whose results were left out. */
  readonly leftOut?: readonly string[]
}

/** Reads the header; nothing of it is taken that could not be shown as it is. */
export function readSso(header: string | undefined): Sso {
  if (header === undefined) return {}
  const parts = header.split(';').map(part => part.trim())
  const value = (name: string) =>
    parts.find(part => part.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1)
  const url = pageAddress(value('url') ?? '')
  if (url !== undefined) return {url}
  if (parts[0]?.toLowerCase() !== 'partial-results') return {}
  const ids = (value('organizations') ?? '')
    .split(/[,\s]+/)
    .filter(id => /^[\w.-]{1,100}$/.test(id))
  return {leftOut: ids}
}
