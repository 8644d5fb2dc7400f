import type {AuthServer} from './server/auth-server.js'

/** Revokes tokens at the server that issued them (RFC 7009). */

/** The result of a revocation. */
export type Revoked =
  | 'revoked'
  /** The server has no revocation endpoint. */
  | 'impossible'
  /** The server did not respond or rejected the request. */
  | 'failed'

/** Revokes the tokens of a sign-in, the refresh token first, because that revokes the others at many servers. Never throws. */
export async function revokeTokens(
  server: Pick<AuthServer, 'revoke'>,
  {token, refreshToken}: {readonly token?: string; readonly refreshToken?: string},
): Promise<Revoked> {
  const all = [
    [refreshToken, 'refresh_token'],
    [token, 'access_token'],
  ] as const
  const results: boolean[] = []
  for (const [text, kind] of all) {
    if (text === undefined) continue
    const done = await server.revoke(text, kind).catch(() => false)
    results.push(done)
  }
  // After the first revocation, some servers no longer know the second token.
  return results[0] ? 'revoked' : 'failed'
}
