import {NetworkError, ProtocolError, ServiceError} from '#lib/client/errors.js'
import type {Settings} from '#lib/config/settings.js'
import {AuthServiceError, SignInError} from './errors.js'

/**
 * Getting, checking, keeping and forgetting tokens lives here. What a person sees of it belongs to
 * ../cli. This file tells which authorization service it was that something went wrong with.
 */

/** Where it is. */
export interface AuthServiceAddress {
  readonly url: string
  /** Where that comes from, behind the address: `from DRV_AUTH_URL`. */
  readonly source: string
}

const SOURCES = {
  flag: 'from --auth-url',
  environment: 'from DRV_AUTH_URL',
  default: 'by default where the file service is',
} as const

/** The authorization service of some settings, at the address it has now. */
export function authServiceOf(
  {profile, sources}: Pick<Settings, 'profile' | 'sources'>,
  url: string,
): AuthServiceAddress {
  if (!sources) return {url, source: 'inside drv, as DRV_BASE_URL is not set'}
  const {authUrl: from} = sources
  return {url, source: from === 'profile' ? `from the profile "${profile}"` : SOURCES[from]}
}

/** How sentences about the service begin where it is made out from the answer alone. */
const LEAD = 'The authorization service'

/**
 * The error with the service named, by its address and where that comes from: an `AuthServiceError`,
 * or a `SignInError` for a refusal. What is nobody's fault but a person's stays as it is.
 */
export function namingAuthService(error: unknown, {url, source}: AuthServiceAddress): unknown {
  const name = `${LEAD} at ${url} (${source})`
  const led = (text: string, between = ': ') =>
    text.startsWith(`${LEAD} `) ? name + text.slice(LEAD.length) : name + between + text
  if (error instanceof SignInError) {
    const {code, kind, message} = error
    if (message.startsWith(LEAD)) return new SignInError(code, kind, led(message))
    if (kind !== 'configuration') return error
    return new SignInError(code, kind, `${message} ${LEAD} is at ${url} (${source}).`)
  }
  if (error instanceof NetworkError) {
    return new AuthServiceError(led(error.message, ' gave no answer: '), error)
  }
  if (error instanceof ProtocolError || error instanceof ServiceError) {
    return new AuthServiceError(led(error.message), error)
  }
  return error
}
