import type {Operation} from '#lib/api/operations.js'
import {atHeader, failure, REALM} from '#lib/service/errors.js'
import {allows, neededPermission, type Permissions} from '#lib/service/oauth/tokens/permissions.js'
import type {TokenCaller} from './authenticate.js'

/**
 * Who sends a request, and what they may do, is found out here. What tokens hold belongs to
 * `../tokens`.
 */

/** Versions of the API that a request may ask for, the newest last (spec: authorization.md, Versioning). */
const VERSIONS = ['2022-11-28']

/**
 * The version header of an answer, from the headers of the request (names in lower case). Throws
 * 400 for a version that is malformed or that the service does not have.
 */
export function apiVersionHeaders(
  headers: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const asked = headers['x-service-api-version']?.trim()
  if (asked !== undefined && !VERSIONS.includes(asked)) {
    throw failure(
      400,
      'badRequest',
      `The header X-Service-Api-Version names no version of this service: ${JSON.stringify(asked)}. ` +
        `Use ${VERSIONS.join(' or ')}, or leave the header out.`,
      atHeader('X-Service-Api-Version'),
    )
  }
  return {'X-Service-Api-Version-Selected': asked ?? VERSIONS.at(-1)!}
}

/**
 * Holds a caller's scopes against what an operation takes, and returns the headers that tell both.
 * Throws 403 `insufficientPermissions` when none fits.
 */
export function authorize(operation: Operation, caller: TokenCaller): Record<string, string> {
  if (caller.permissions) return authorizeFine(operation, caller, caller.permissions)
  const headers = {
    ...tokenHeaders(caller),
    'X-Accepted-OAuth-Scopes': operation.scopes.join(', '),
  }
  if (operation.scopes.some(scope => caller.scopes.has(scope))) return headers
  throw failure(
    403,
    'insufficientPermissions',
    `Request had insufficient authentication scopes: ${operation.operationId} takes any one of ` +
      `${operation.scopes.join(', ')}.`,
    atHeader('Authorization'),
    {
      ...headers,
      'WWW-Authenticate': `${REALM}, error="insufficient_scope", scope="${operation.scopes.join(' ')}"`,
    },
  )
}

function authorizeFine(
  operation: Operation,
  caller: TokenCaller,
  permissions: Permissions,
): Record<string, string> {
  const needed = neededPermission(operation)
  const accepted = needed ? `${needed.name}=${needed.level}` : ''
  const headers = {...tokenHeaders(caller), 'X-Accepted-Service-Permissions': accepted}
  if (!needed || allows(permissions, needed)) return headers
  const message = `Resource not accessible by this token: ${operation.operationId} takes the permission ${accepted}.`
  throw failure(403, 'insufficientPermissions', message, atHeader('Authorization'), headers)
}

/** The headers that tell a caller about its own token (reference: oauth.md, section 7). */
export function tokenHeaders(caller: TokenCaller): Record<string, string> {
  const {scopeNames, clientId, permissions, expiresAt} = caller
  return {
    ...(!permissions && {'X-OAuth-Scopes': scopeNames.join(', ')}),
    ...(clientId && {'X-OAuth-Client-Id': clientId}),
    ...(expiresAt !== undefined && {
      'X-Service-Authentication-Token-Expiration': `${new Date(expiresAt).toISOString().slice(0, 19).replace('T', ' ')} UTC`,
    }),
  }
}
