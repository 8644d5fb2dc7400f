import {ApiError, failure} from '#lib/service/errors.js'
import type {ServiceResponse} from '#lib/service/http/message.js'
import type {OauthCall} from '#lib/service/oauth/call.js'
import {NO_TOKEN} from '#lib/service/oauth/guard/authenticate.js'
import {ERRORS_PATH} from './answer.js'

/** Answers of the paths that are part of the API but none of its operations: `/user` and the like. */

export type Body = Readonly<Record<string, unknown>>

/** What these paths call the guard's refusals (reference: oauth.md, section 6). */
const MESSAGES: Readonly<Record<string, string>> = {
  'Login Required': 'Requires authentication',
  'Invalid Credentials': 'Bad credentials',
}

/** A time as these answers have it: ISO 8601 in UTC, to the second. */
export function isoSeconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
}

/** A refusal; throw it within `answer`. */
export function problem(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): ApiError {
  return failure(status, 'error', message, undefined, headers)
}

/** Does `work`; what it throws as `ApiError` becomes the error body of these paths. */
export function answer(call: OauthCall, work: () => ServiceResponse): ServiceResponse {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const message = MESSAGES[error.message] ?? error.message
    // Operations of the file service answer 403 then (reference: oauth.md, section 6).
    const status = error.detail.reason === NO_TOKEN ? 401 : error.status
    return json(status, problemBody(call, status, message), error.headers)
  }
}

/** The body of every refusal of this family (reference: oauth.md, section 6). */
export function problemBody({request}: OauthCall, status: number, message: string): Body {
  return {message, documentation_url: `${request.url.origin}${ERRORS_PATH}`, status: `${status}`}
}

/** A JSON answer, never to be cached. */
export function json(
  status: number,
  body: Body,
  headers: Readonly<Record<string, string>> = {},
): ServiceResponse {
  return {
    status,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Cache-Control': 'no-store',
      ...headers,
    },
    body: JSON.stringify(body),
  }
}
