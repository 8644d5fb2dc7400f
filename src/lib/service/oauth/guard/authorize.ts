import type {Operation} from '#lib/api/operations.js'
import {atHeader, failure, REALM} from '#lib/service/errors.js'
import {allows, neededPermission, type Permissions} from '#lib/service/oauth/tokens/permissions.js'
import type {TokenCaller} from './authenticate.js'

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
