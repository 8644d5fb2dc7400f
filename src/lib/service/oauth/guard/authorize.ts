import type {Operation} from '#lib/api/operations.js'
import {atHeader, failure, REALM} from '#lib/service/errors.js'
import {allows, neededPermission, type Permissions} from '#lib/service/oauth/tokens/permissions.js'
import type {TokenCaller} from './authenticate.js'

/**
 * Authenticates and authorizes requests. The contents of tokens are in `../tokens`.
 */

/** The supported versions of the API, the newest last (spec: authorization.md, Versioning). */
const VERSIONS = ['2022-11-28']

/**
 * Returns the version header of a response, from the headers of the request (names in lower case).
 * Throws 400 for an unsupported version.
 */
export function apiVersionHeaders(
  headers: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const version = headers['x-service-api-version']?.trim()
  if (version !== undefined && !VERSIONS.includes(version)) {
    throw failure(
      400,
      'badRequest',
      `Unsupported version in the header X-Service-Api-Version: ${JSON.stringify(version)}. ` +
        `Use ${VERSIONS.join(' or ')}, or omit the header.`,
      atHeader('X-Service-Api-Version'),
    )
  }
  return {'X-Service-Api-Version-Selected': version ?? VERSIONS.at(-1)!}
}

/**
 * Checks that a caller has one of the scopes of an operation, and returns the headers with the scopes
 * of both. Throws 403 `insufficientPermissions` otherwise.
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
    `Request had insufficient authentication scopes: ${operation.operationId} needs one of ` +
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
  const message = `Resource not accessible by this token: ${operation.operationId} needs the permission ${accepted}.`
  throw failure(403, 'insufficientPermissions', message, atHeader('Authorization'), headers)
}

/** Returns the headers about the caller's token (reference: oauth.md, section 7). */
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
