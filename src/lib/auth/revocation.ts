import type {AuthServer} from './server/auth-server.js'

/** Ending tokens at the server that gave them (RFC 7009). */

/** What became of the tokens there. */
export type Revoked =
  | 'revoked'
  /** The server has no address for it. */
  | 'impossible'
  /** It did not answer, or refused. */
  | 'failed'

/** Has a server end the tokens of a sign-in: the refresh token first, which ends the others at many. Never fails. */
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
  // Once the first is ended, others may know the second no more.
  return results[0] ? 'revoked' : 'failed'
}
