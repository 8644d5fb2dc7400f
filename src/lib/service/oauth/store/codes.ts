import {secretHash} from '#lib/service/oauth/tokens/secrets.js'
import type {Store} from '#lib/service/store/index.js'

/** What stands behind a temporary code of the web flow. */
export interface CodeRow {
  readonly hash: string
  readonly client_id: string
  readonly user_id: number
  /** Joined by a space, in either spelling. */
  readonly scopes: string
  /** As the request named it; `null` when it named none. */
  readonly redirect_uri: string | null
  readonly expires_at: number
}

/** Keeps a new code, as a hash, and forgets those that are past their end. */
export function addCode(
  store: Store,
  code: string,
  grant: Omit<CodeRow, 'hash'>,
  now: number,
): void {
  store.write(() => {
    store.run('DELETE FROM codes WHERE expires_at <= :now', {now})
    store.run(
      `INSERT INTO codes (hash, client_id, user_id, scopes, redirect_uri, expires_at)
       VALUES (:hash, :client_id, :user_id, :scopes, :redirect_uri, :expires_at)`,
      {...grant, hash: secretHash(code)},
    )
  })
}

/** What stands behind a code that was made for this app, while it is good. */
export function findCode(
  store: Store,
  clientId: string,
  code: string,
  now: number,
): CodeRow | undefined {
  return store.get<CodeRow>(
    'SELECT * FROM codes WHERE hash = :hash AND client_id = :clientId AND expires_at > :now',
    {hash: secretHash(code), clientId, now},
  )
}

export function removeCode(store: Store, {hash}: CodeRow): void {
  store.run('DELETE FROM codes WHERE hash = :hash', {hash})
}
