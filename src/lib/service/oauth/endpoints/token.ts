import {DEVICE_GRANT, REFRESH_GRANT} from '#lib/api/wire.js'
import type {ServiceResponse} from '#lib/service/http/message.js'
import type {OauthCall} from '#lib/service/oauth/call.js'
import {pollDevice, requestDeviceCodes} from '#lib/service/oauth/flows/device-flow.js'
import {refreshToken} from '#lib/service/oauth/flows/refresh.js'
import {exchangeCode} from '#lib/service/oauth/flows/web-flow.js'
import {readBasic} from '#lib/service/oauth/guard/authenticate.js'
import {DEVICE_PATH} from '#lib/service/oauth/pages/paths.js'
import {type App, appById} from '#lib/service/oauth/store/apps.js'
import type {TokenAnswer} from '#lib/service/oauth/tokens/mint-token.js'
import {requestedNames} from '#lib/service/oauth/tokens/scopes.js'
import {isAppSecret} from '#lib/service/oauth/tokens/secrets.js'
import type {Store} from '#lib/service/store/index.js'
import {acceptedFormat, errorFields, fieldsResponse, type OauthError} from './answer.js'
import {readParameters, UnreadableRequest} from './request-parameters.js'

type Parameters = ReadonlyMap<string, string>

/** POST /login/device/code (spec: authorization.md, Endpoints). 404 for an unknown app, 400 for an app without the device flow. */
export function deviceCodeEndpoint(call: OauthCall): Promise<ServiceResponse> {
  const {store, now, request, pollInterval, approval} = call
  return answer(call, parameters => {
    const app = deviceApp(store, parameters)
    if ('error' in app) return [app.error === 'incorrect_client_credentials' ? 404 : 400, app]
    const scopes = requestedNames(parameters.get('scope') ?? '')
    const asked = {app, scopes, pollInterval, approval}
    const {device_code, user_code, ...times} = requestDeviceCodes(store, asked, now)
    const verification_uri = `${request.url.origin}${DEVICE_PATH}`
    return [200, {device_code, user_code, verification_uri, ...times}]
  })
}

/** Returns the app of a device flow request, or the error if it cannot use the device flow. */
function deviceApp(store: Store, parameters: Parameters): App | OauthError {
  const app = appById(store, parameters.get('client_id') ?? '')
  if (!app) return {error: 'incorrect_client_credentials'}
  if (app.suspended) return {error: 'application_suspended'}
  return app.device_flow ? app : {error: 'device_flow_disabled'}
}

/** POST /login/oauth/access_token: errors, too, have the status 200 (reference: oauth.md, section 1). */
export function tokenEndpoint(call: OauthCall): Promise<ServiceResponse> {
  return answer(call, parameters => [200, grantToken(call, parameters)])
}

function grantToken({store, now}: OauthCall, parameters: Parameters): TokenAnswer | OauthError {
  switch (grantType(parameters)) {
    case 'authorization_code': {
      const app = appById(store, parameters.get('client_id') ?? '')
      return app && isAppSecret(app, parameters.get('client_secret'))
        ? exchangeCode(store, app, parameters, now)
        : {error: 'incorrect_client_credentials'}
    }
    case REFRESH_GRANT: {
      const app = appById(store, parameters.get('client_id') ?? '')
      return app
        ? refreshToken(store, app, parameters, now)
        : {error: 'incorrect_client_credentials'}
    }
    case DEVICE_GRANT: {
      const app = deviceApp(store, parameters)
      if ('error' in app) return app
      return pollDevice(store, app, parameters, now)
    }
    default:
      return {error: 'unsupported_grant_type'}
  }
}

/** Returns the grant type. It is optional for the exchange of a code, which is recognized by its other parameters. */
function grantType(parameters: Parameters): string | undefined {
  const named = parameters.get('grant_type')
  if (named || parameters.has('device_code')) return named
  const isExchange = parameters.has('code') || parameters.has('client_secret')
  return isExchange ? 'authorization_code' : undefined
}

type Result = readonly [
  status: number,
  fields: Readonly<Record<string, string | number>> | OauthError,
]

/** Reads the parameters, runs `work`, and responds in the format that the client accepts. */
async function answer(
  {request}: OauthCall,
  work: (parameters: Parameters) => Result,
): Promise<ServiceResponse> {
  const format = acceptedFormat(request.headers.accept)
  const [status, fields] = await readParameters(request).then(
    parameters => work(withBasic(parameters, request.headers.authorization)),
    (error: unknown): Result => {
      if (!(error instanceof UnreadableRequest)) throw error
      return [error.status, {error: 'invalid_request', error_description: error.message}]
    },
  )
  const sent = 'error' in fields ? errorFields(fields as OauthError, request) : undefined
  return fieldsResponse(status, {...sent, ...fields}, format)
}

/** Adds client ID and secret from Basic authentication, unless the parameters contain a client ID. */
function withBasic(parameters: Parameters, authorization: string | undefined): Parameters {
  const basic = readBasic(authorization)
  if (!basic || parameters.has('client_id')) return parameters
  return new Map([['client_id', basic.user], ['client_secret', basic.password], ...parameters])
}
