import {crc32} from 'node:zlib'
import type {Random} from '#lib/service/store/ids.js'
import {fullScope} from './scopes.js'
import {base62, randomText} from './secrets.js'

/** The prefixes of tokens: the two kinds of personal tokens, tokens of apps, and refresh tokens (reference: oauth.md, section 5). */
const PREFIX = {classic: 'drvp_', fine: 'drvf_', app: 'drvo_', refresh: 'drvr_'} as const

export type TokenForm = Exclude<keyof typeof PREFIX, 'refresh'>

/** Time in ms without use after which a token expires (reference: oauth.md, section 2). */
const UNUSED_LIFETIME = 365 * 24 * 60 * 60 * 1000

/** A stored token. */
export interface TokenRow {
  readonly id: number
  readonly hash: string
  readonly last_eight: string
  readonly user_id: number
  readonly client_id: string | null
  /** Separated by spaces, in either spelling: see `scopesOf`. */
  readonly scopes: string
  /** The permissions of a fine-grained token: see `readPermissions`. */
  readonly permissions: string | null
  readonly note: string | null
  readonly created_at: number
  readonly used_at: number | null
  readonly expires_at: number | null
  readonly revoked_at: number | null
  /** The family of the token, if its sign-in has refresh tokens. */
  readonly family_id: number | null
}

/** Returns the text of a new token: its prefix, thirty random characters and their checksum (reference: oauth.md, section 5). */
export function newTokenText(kind: keyof typeof PREFIX, random: Random): string {
  const body = randomText(random, 30)
  return PREFIX[kind] + body + base62(crc32(body), 6)
}

export function tokenFormOf({client_id, permissions}: TokenRow): TokenForm {
  if (client_id !== null) return 'app'
  return permissions === null ? 'classic' : 'fine'
}

/** Returns the full values of a token's scopes. */
export function scopesOf(token: Pick<TokenRow, 'scopes'>): readonly string[] {
  return scopeNamesOf(token).map(fullScope)
}

/** Returns the scopes of a token, spelled as they were granted. */
export function scopeNamesOf({scopes}: Pick<TokenRow, 'scopes'>): readonly string[] {
  return scopes.split(' ').filter(value => value !== '')
}

/** Whether a token is neither revoked nor expired nor unused for too long. */
export function isLive(token: TokenRow, now: number): boolean {
  const {revoked_at, expires_at, created_at, used_at} = token
  if (revoked_at !== null || now - (used_at ?? created_at) >= UNUSED_LIFETIME) return false
  return expires_at === null || now < expires_at
}
