import {failure, FileServiceError} from '#lib/service/errors.js'
import type {ServiceResponse} from '#lib/service/http/message.js'
import type {OauthCall} from '#lib/service/oauth/call.js'
import {NO_TOKEN} from '#lib/service/oauth/guard/authenticate.js'
import {ERRORS_PATH} from './answer.js'

/** Responses of the API paths that are not operations, such as `/user`. */

export type Body = Readonly<Record<string, unknown>>

/** The messages of these paths for errors of the guard (reference: oauth.md, section 6). */
const MESSAGES: Readonly<Record<string, string>> = {
  'Login Required': 'Requires authentication',
  'Invalid Credentials': 'Bad credentials',
}

/** Formats a time as ISO 8601 in UTC with seconds. */
export function isoSeconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
}

/** Returns an error to throw inside `answer`. */
export function problem(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): FileServiceError {
  return failure(status, 'error', message, undefined, headers)
}

/** Runs `work`, and turns a `FileServiceError` into an error response of these paths. */
export function answer(call: OauthCall, work: () => ServiceResponse): ServiceResponse {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof FileServiceError)) throw error
    const message = MESSAGES[error.message] ?? error.message
    // Operations of the file service return 403 instead (reference: oauth.md, section 6).
    const status = error.detail.reason === NO_TOKEN ? 401 : error.status
    return json(status, problemBody(call, status, message), error.headers)
  }
}

/** The body of error responses of these paths (reference: oauth.md, section 6). */
export function problemBody({request}: OauthCall, status: number, message: string): Body {
  return {message, documentation_url: `${request.url.origin}${ERRORS_PATH}`, status: `${status}`}
}

/** Returns a JSON response that must not be cached. */
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
