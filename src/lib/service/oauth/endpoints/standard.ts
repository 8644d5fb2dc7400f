import {DEVICE_GRANT, REFRESH_GRANT} from '#lib/api/wire.js'
import type {ServiceResponse} from '#lib/service/http/message.js'
import type {OauthCall} from '#lib/service/oauth/call.js'
import {pollDevice, requestDeviceCodes} from '#lib/service/oauth/flows/device-flow.js'
import {refreshToken} from '#lib/service/oauth/flows/refresh.js'
import {revoke} from '#lib/service/oauth/flows/revocation.js'
import {exchangeCode} from '#lib/service/oauth/flows/web-flow.js'
import {readBasic} from '#lib/service/oauth/guard/authenticate.js'
import {DEVICE_PATH} from '#lib/service/oauth/pages/paths.js'
import {type App, appById} from '#lib/service/oauth/store/apps.js'
import type {TokenAnswer} from '#lib/service/oauth/tokens/mint-token.js'
import {challengeProblem} from '#lib/service/oauth/tokens/pkce.js'
import {requestedNames, unknownScopes, unknownScopeText} from '#lib/service/oauth/tokens/scopes.js'
import {isAppSecret} from '#lib/service/oauth/tokens/secrets.js'
import {errorFields, type OauthError, type OauthErrorCode} from './answer.js'
import {type Body, json} from './api-answer.js'
import {readParameters, UnreadableRequest} from './request-parameters.js'

/** The endpoints in the issuer's metadata, with the errors and statuses of the OAuth standards. */

type Parameters = ReadonlyMap<string, string>

/** The standard codes for the errors of the specification (RFC 6749, section 5.2; RFC 8628, section 3.5). */
const STANDARD_CODES: Partial<Record<OauthErrorCode, string>> = {
  application_suspended: 'unauthorized_client',
  bad_refresh_token: 'invalid_grant',
  bad_verification_code: 'invalid_grant',
  device_flow_disabled: 'unauthorized_client',
  incorrect_client_credentials: 'invalid_client',
  incorrect_device_code: 'invalid_grant',
  redirect_uri_mismatch: 'invalid_grant',
  unverified_user_email: 'invalid_grant',
}

export function standardCode(error: OauthErrorCode): string {
  return STANDARD_CODES[error] ?? error
}

/** POST: requests a device code (RFC 8628, section 3.1). An app with a secret must authenticate. */
export function standardDeviceEndpoint(call: OauthCall): Promise<ServiceResponse> {
  const {store, now, request, pollInterval, approval} = call
  return answer(call, (app, parameters) => {
    if (!app.device_flow) return {error: 'device_flow_disabled'}
    const problem = scopeProblem(parameters) ?? challengeProblem(parameters)
    if (problem) return problem
    const scopes = requestedNames(parameters.get('scope') ?? '')
    const codeChallenge = parameters.get('code_challenge')
    const asked = {app, scopes, codeChallenge, pollInterval, approval}
    const codes = requestDeviceCodes(store, asked, now)
    const page = `${request.url.origin}${DEVICE_PATH}`
    return {
      ...codes,
      verification_uri: page,
      verification_uri_complete: `${page}?user_code=${codes.user_code}`,
    }
  })
}

/** POST: issues tokens (RFC 6749, sections 4.1.3 and 6; RFC 8628, section 3.4). */
export function standardTokenEndpoint(call: OauthCall): Promise<ServiceResponse> {
  return answer(call, (app, parameters) => {
    const granted = grantToken(call, app, parameters)
    if ('error' in granted) return granted
    return {...granted, token_type: 'Bearer', scope: granted.scope.replaceAll(',', ' ')}
  })
}

function grantToken(
  {store, now}: OauthCall,
  app: App,
  parameters: Parameters,
): TokenAnswer | OauthError {
  switch (parameters.get('grant_type')) {
    case undefined:
      return {error: 'invalid_request', error_description: 'The grant_type is missing.'}
    case 'authorization_code':
      return exchangeCode(store, app, parameters, now)
    case REFRESH_GRANT:
      return refreshToken(store, app, parameters, now)
    case DEVICE_GRANT:
      if (!app.device_flow) return {error: 'device_flow_disabled'}
      return pollDevice(store, app, parameters, now)
    default:
      return {error: 'unsupported_grant_type'}
  }
}

/** POST: revokes a token (RFC 7009). Succeeds for expired and unknown tokens, too. */
export function revokeEndpoint(call: OauthCall): Promise<ServiceResponse> {
  return answer(call, (app, parameters) => {
    const token = parameters.get('token')
    if (!token) return {error: 'invalid_request', error_description: 'The token is missing.'}
    revoke(call.store, app, token, call.now)
    return {}
  })
}

export function scopeProblem(parameters: Parameters): OauthError | undefined {
  const [unknown] = unknownScopes(parameters.get('scope') ?? '')
  if (unknown === undefined) return undefined
  return {error: 'invalid_scope', error_description: unknownScopeText(unknown)}
}

/** Authenticates the app, runs `work`, and responds: 200, or 400 and 401 for errors. */
async function answer(
  call: OauthCall,
  work: (app: App, parameters: Parameters) => Body | OauthError,
): Promise<ServiceResponse> {
  const {request} = call
  const result = await readParameters(request).then(
    (parameters): Body | OauthError => {
      const client = clientOf(call, parameters)
      if ('error' in client) return client
      if (client.app.suspended) return {error: 'application_suspended'}
      return work(client.app, client.parameters)
    },
    (error: unknown): OauthError => {
      if (!(error instanceof UnreadableRequest)) throw error
      return {error: 'invalid_request', error_description: error.message}
    },
  )
  if (!('error' in result)) return json(200, result)
  const refusal = result as OauthError
  const body = {
    ...errorFields(refusal, request),
    error: standardCode(refusal.error),
    ...(refusal.interval !== undefined && {interval: refusal.interval}),
  }
  if (body.error !== 'invalid_client') return json(400, body)
  // WWW-Authenticate is required only for clients that used the Authorization header (RFC 6749, section 5.2).
  const hasHeader = request.headers.authorization !== undefined
  return json(401, body, hasHeader ? {'WWW-Authenticate': 'Basic realm="drv"'} : {})
}

/** Returns the authenticated app, and the parameters with credentials from Basic authentication added. */
function clientOf(
  {store, request}: OauthCall,
  sent: Parameters,
): {readonly app: App; readonly parameters: Parameters} | OauthError {
  const basic = readBasic(request.headers.authorization)
  if (basic && sent.has('client_secret')) {
    const error_description =
      'Send the client secret either in the Authorization header or in the body, not in both.'
    return {error: 'invalid_request', error_description}
  }
  const parameters = basic
    ? new Map([
        ...sent,
        ['client_id', unescaped(basic.user)],
        ['client_secret', unescaped(basic.password)],
      ])
    : sent
  const app = appById(store, parameters.get('client_id') ?? '')
  const isValid =
    app && (app.secret_hash === null || isAppSecret(app, parameters.get('client_secret')))
  return isValid ? {app, parameters} : {error: 'incorrect_client_credentials'}
}

/** Decodes user or password of Basic authentication, which are form-encoded (RFC 6749, section 2.3.1). */
function unescaped(text: string): string {
  return new URLSearchParams(`value=${text.replaceAll('&', '%26')}`).get('value') ?? ''
}
