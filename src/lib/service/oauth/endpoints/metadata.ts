import {scopeCatalog, type ScopeName, scopes} from '#lib/api/description/scopes.js'
import {DEVICE_GRANT, REFRESH_GRANT} from '#lib/api/wire.js'
import type {ServiceRequest, ServiceResponse} from '#lib/service/http/message.js'
import type {OauthCall} from '#lib/service/oauth/call.js'
import {unknownPath} from './api.js'
import {json} from './api-answer.js'

/**
 * The path of the issuer. In addition to the endpoints of the specification, the service is a standard
 * OAuth authorization server; the rules of the standards apply only at the paths below.
 */
const ISSUER_PATH = '/login/oauth'

export const STANDARD_PATHS = {
  authorize: `${ISSUER_PATH}/standard/authorize`,
  device: `${ISSUER_PATH}/standard/device`,
  token: `${ISSUER_PATH}/standard/token`,
  revoke: `${ISSUER_PATH}/standard/revoke`,
} as const

/** The paths of the metadata: with the well-known part before the issuer's path (RFC 8414), and after it (OpenID Discovery). */
export const METADATA_PATHS = [
  `/.well-known/oauth-authorization-server${ISSUER_PATH}`,
  `${ISSUER_PATH}/.well-known/openid-configuration`,
] as const

export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource'

export function issuerOf({url}: ServiceRequest): string {
  return url.origin + ISSUER_PATH
}

/** The authentication methods of clients; `none` is for apps without a secret. */
const SECRET_METHODS = ['client_secret_basic', 'client_secret_post', 'none']

/** GET: the metadata of the authorization server (RFC 8414, section 2). */
export function metadataEndpoint({request}: OauthCall): ServiceResponse {
  const {origin} = request.url
  return json(200, {
    issuer: issuerOf(request),
    authorization_endpoint: origin + STANDARD_PATHS.authorize,
    token_endpoint: origin + STANDARD_PATHS.token,
    device_authorization_endpoint: origin + STANDARD_PATHS.device,
    revocation_endpoint: origin + STANDARD_PATHS.revoke,
    scopes_supported: scopes(...(Object.keys(scopeCatalog) as ScopeName[])),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', REFRESH_GRANT, DEVICE_GRANT],
    token_endpoint_auth_methods_supported: SECRET_METHODS,
    revocation_endpoint_auth_methods_supported: SECRET_METHODS,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  })
}

/** GET: the metadata of the file service (RFC 9728, section 2); 404 unless the service publishes its issuer. */
export function resourceMetadataEndpoint(call: OauthCall): ServiceResponse {
  const {request, namesIssuer} = call
  if (!namesIssuer) return unknownPath(call)
  return json(200, {
    resource: request.url.origin,
    authorization_servers: [issuerOf(request)],
    // These scopes suffice for every operation. The metadata of the issuer lists all scopes.
    scopes_supported: scopes('drive', 'drive.appdata', 'drive.apps.readonly'),
    bearer_methods_supported: ['header', 'query'],
    resource_name: 'Local file service of drv',
  })
}
