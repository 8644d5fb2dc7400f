import type {OauthCall} from '#lib/service/oauth/call.js'
import type {OauthError} from '#lib/service/oauth/endpoints/answer.js'
import {STANDARD_PATHS} from '#lib/service/oauth/endpoints/metadata.js'
import {scopeProblem} from '#lib/service/oauth/endpoints/standard.js'
import type {App} from '#lib/service/oauth/store/apps.js'
import {challengeProblem} from '#lib/service/oauth/tokens/pkce.js'
import type {FormValues} from './form-page.js'

/** What the standard authorization endpoint adds to that of the specification. */

/** Whether a request came to the standard endpoint in the issuer's metadata. */
export function isStandard({request}: OauthCall): boolean {
  return request.url.pathname === STANDARD_PATHS.authorize
}

/** Returns the error of a request that violates the standards, which are stricter than the specification. */
export function standardProblem(app: App, parameters: FormValues): OauthError | undefined {
  if (parameters.get('response_type') !== 'code') return {error: 'unsupported_response_type'}
  if (app.secret_hash === null && !parameters.has('code_challenge')) {
    const error_description = 'An app without a secret must send a code_challenge.'
    return {error: 'invalid_request', error_description}
  }
  return challengeProblem(parameters) ?? scopeProblem(parameters)
}

/** Copies `login_hint`, the name in OpenID Connect, to `login`. */
export function standardValues(values: FormValues): FormValues {
  const login = values.get('login_hint')
  return login === undefined ? values : new Map([...values, ['login', login]])
}
