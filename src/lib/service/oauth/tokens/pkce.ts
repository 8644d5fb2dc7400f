import {createHash} from 'node:crypto'
import type {OauthError} from '#lib/service/oauth/endpoints/answer.js'

/** The secrets of PKCE (RFC 7636): a challenge goes with the request, what it was made of with the code. */

/** Whether the verifier among the parameters fits a challenge; without a challenge none is asked for. */
export function isVerified(
  {code_challenge}: {readonly code_challenge: string | null},
  parameters: ReadonlyMap<string, string>,
): boolean {
  if (code_challenge === null) return true
  const verifier = parameters.get('code_verifier') ?? ''
  return createHash('sha256').update(verifier).digest('base64url') === code_challenge
}

/** What is wrong with the challenge of a request; one in the open ("plain") protects nobody. */
export function challengeProblem(parameters: ReadonlyMap<string, string>): OauthError | undefined {
  const challenge = parameters.get('code_challenge')
  const method = parameters.get('code_challenge_method')
  if (challenge === undefined && method === undefined) return undefined
  if (method === 'S256' && /^[\w-]{43}$/.test(challenge ?? '')) return undefined
  const error_description =
    'The code_challenge must be a SHA-256 in base64url, and its code_challenge_method S256.'
  return {error: 'invalid_request', error_description}
}
