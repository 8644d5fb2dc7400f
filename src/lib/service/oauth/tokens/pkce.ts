import {createHash} from 'node:crypto'
import type {OauthError} from '#lib/service/oauth/endpoints/answer.js'

/** PKCE (RFC 7636): the authorization request contains a challenge, the token request the verifier. */

/** Whether the `code_verifier` matches the challenge; true without a challenge. */
export function isVerified(
  {code_challenge}: {readonly code_challenge: string | null},
  parameters: ReadonlyMap<string, string>,
): boolean {
  if (code_challenge === null) return true
  const verifier = parameters.get('code_verifier') ?? ''
  return createHash('sha256').update(verifier).digest('base64url') === code_challenge
}

/** Returns the error for an invalid challenge. The method "plain" is refused because it does not protect the code. */
export function challengeProblem(parameters: ReadonlyMap<string, string>): OauthError | undefined {
  const challenge = parameters.get('code_challenge')
  const method = parameters.get('code_challenge_method')
  if (challenge === undefined && method === undefined) return undefined
  if (method === 'S256' && /^[\w-]{43}$/.test(challenge ?? '')) return undefined
  const error_description =
    'The code_challenge must be a SHA-256 hash in base64url, and the code_challenge_method S256.'
  return {error: 'invalid_request', error_description}
}
