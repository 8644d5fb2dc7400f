import {DEVICE_GRANT} from '../../../api/wire.js'
import type {ServiceRequest, ServiceResponse} from '../../http/message.js'
import type {OauthContext} from '../context.js'
import {pollDevice, requestDeviceCodes} from '../flows/deviceflow.js'
import type {TokenAnswer} from '../flows/issuetoken.js'
import {exchangeCode} from '../flows/webflow.js'
import {readBasic} from '../guard/basic.js'
import {appById} from '../store/apps.js'
import {requestedNames} from '../tokens/scopes.js'
import {acceptedFormat, fieldsResponse} from './answerformats.js'
import {errorFields, type OauthError} from './oautherrors.js'
import {readParameters, UnreadableRequest} from './requestparameters.js'

/** POST /login/device/code (spec: authorization.md, Endpoints). An unknown app gets 404, one without the device flow 400. */
export function deviceCodeEndpoint(
  request: ServiceRequest,
  context: OauthContext,
): Promise<ServiceResponse> {
  return answer(request, context, parameters => {
    const app = appById(context.store, parameters.get('client_id') ?? '')
    if (!app) return [404, {error: 'incorrect_client_credentials'}]
    if (app.suspended) return [400, {error: 'application_suspended'}]
    if (!app.device_flow) return [400, {error: 'device_flow_disabled'}]
    const scopes = requestedNames(parameters.get('scope') ?? '')
    const {device_code, user_code, ...times} = requestDeviceCodes(
      context.store,
      app,
      scopes,
      context.now,
    )
    const verification_uri = `${context.origin}/login/device`
    return [200, {device_code, user_code, verification_uri, ...times}]
  })
}

/** POST /login/oauth/access_token: every refusal comes with status 200 (reference: oauth.md, section 1). */
export function tokenEndpoint(
  request: ServiceRequest,
  context: OauthContext,
): Promise<ServiceResponse> {
  return answer(request, context, parameters => [200, grantToken(context, parameters)])
}

function grantToken(
  {store, now}: OauthContext,
  parameters: ReadonlyMap<string, string>,
): TokenAnswer | OauthError {
  const app = appById(store, parameters.get('client_id') ?? '')
  switch (grantType(parameters)) {
    case 'authorization_code':
      return exchangeCode(store, app, parameters, now)
    case DEVICE_GRANT:
      if (!app) return {error: 'incorrect_client_credentials'}
      if (app.suspended) return {error: 'application_suspended'}
      if (!app.device_flow) return {error: 'device_flow_disabled'}
      return pollDevice(store, app, parameters.get('device_code') ?? '', now)
    default:
      return {error: 'unsupported_grant_type'}
  }
}

/** The exchange of a code may leave `grant_type` out; it shows by what else it sends. */
function grantType(parameters: ReadonlyMap<string, string>): string | undefined {
  const named = parameters.get('grant_type')
  if (named || parameters.has('device_code')) return named
  const isExchange = parameters.has('code') || parameters.has('client_secret')
  return isExchange ? 'authorization_code' : undefined
}

type Outcome = readonly [
  status: number,
  fields: Readonly<Record<string, string | number>> | OauthError,
]

/** Reads the parameters, and answers in the form the caller accepts. */
async function answer(
  request: ServiceRequest,
  {origin}: OauthContext,
  work: (parameters: ReadonlyMap<string, string>) => Outcome,
): Promise<ServiceResponse> {
  const format = acceptedFormat(request.headers.accept)
  const [status, fields] = await readParameters(request).then(
    parameters => work(withBasic(parameters, request.headers.authorization)),
    (error: unknown): Outcome => {
      if (!(error instanceof UnreadableRequest)) throw error
      return [error.status, {error: 'invalid_request', error_description: error.message}]
    },
  )
  const sent = isError(fields) ? errorFields(fields, origin) : fields
  return fieldsResponse(status, sent, format)
}

function isError(fields: Outcome[1]): fields is OauthError {
  return 'error' in fields
}

/** Client ID and secret may come by Basic authentication; parameters go before it. */
function withBasic(
  parameters: ReadonlyMap<string, string>,
  authorization: string | undefined,
): ReadonlyMap<string, string> {
  const basic = readBasic(authorization)
  if (!basic || parameters.has('client_id')) return parameters
  return new Map([['client_id', basic.user], ['client_secret', basic.password], ...parameters])
}
