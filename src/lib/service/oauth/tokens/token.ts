import {crc32} from 'node:zlib'
import type {Random} from '#lib/service/store/ids.js'
import {fullScope} from './scopes.js'
import {base62, randomText} from './secrets.js'

/** How a token starts: made by hand for oneself, in one of two kinds, or through an app (reference: oauth.md, section 5). */
const PREFIX = {classic: 'drvp_', fine: 'drvf_', app: 'drvo_', refresh: 'drvr_'} as const

export type TokenForm = Exclude<keyof typeof PREFIX, 'refresh'>

/** A token that nobody used for so long (ms) is over (reference: oauth.md, section 2). */
const UNUSED_LIFETIME = 365 * 24 * 60 * 60 * 1000

/** A token as the service keeps it. */
export interface TokenRow {
  readonly id: number
  readonly hash: string
  readonly last_eight: string
  readonly user_id: number
  readonly client_id: string | null
  /** Joined by a space, in either spelling: see `scopesOf`. */
  readonly scopes: string
  /** Of a fine-grained token: see `readPermissions`. */
  readonly permissions: string | null
  readonly note: string | null
  readonly created_at: number
  readonly used_at: number | null
  readonly expires_at: number | null
  readonly revoked_at: number | null
  /** The sign-in that it came of, where that has refresh tokens. */
  readonly family_id: number | null
}

/** The text of a new token: its kind, thirty random characters and their check sum (reference: oauth.md, section 5). */
export function newTokenText(kind: keyof typeof PREFIX, random: Random): string {
  const body = randomText(random, 30)
  return PREFIX[kind] + body + base62(crc32(body), 6)
}

export function kindOf({client_id, permissions}: TokenRow): TokenForm {
  if (client_id !== null) return 'app'
  return permissions === null ? 'classic' : 'fine'
}

/** The scopes of a token as a list of full values. */
export function scopesOf(token: Pick<TokenRow, 'scopes'>): readonly string[] {
  return scopeNamesOf(token).map(fullScope)
}

/** The scopes of a token under the names it was granted them by. */
export function scopeNamesOf({scopes}: Pick<TokenRow, 'scopes'>): readonly string[] {
  return scopes.split(' ').filter(value => value !== '')
}

/** Whether a token is neither revoked nor expired nor unused for too long. */
export function isLive(token: TokenRow, now: number): boolean {
  const {revoked_at, expires_at, created_at, used_at} = token
  if (revoked_at !== null || now - (used_at ?? created_at) >= UNUSED_LIFETIME) return false
  return expires_at === null || now < expires_at
}
