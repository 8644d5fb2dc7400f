import {errorBody, failure} from '#lib/service/errors.js'
import type {ServiceResponse} from '#lib/service/http/message.js'
import {jsonResponse} from '#lib/service/http/respond.js'
import type {Fault} from './plan.js'

/**
 * Here calls go wrong by plan, so that clients can be tested. Nothing else of the service knows of it.
 */

/** What the service itself would give as the reason (reference: protocols.md, section 14). */
const REASONS: Readonly<Record<number, string>> = {
  401: 'authError',
  403: 'forbidden',
  404: 'notFound',
  409: 'conflict',
  410: 'gone',
  412: 'conditionNotMet',
  429: 'rateLimitExceeded',
  500: 'internalError',
}

/** The answer of a call that is refused by plan. */
export function refusal(fault: Omit<Extract<Fault, {kind: 'status'}>, 'kind'>): ServiceResponse {
  const {status, retryAfter, body} = fault
  const wait = retryAfter === undefined ? undefined : {'Retry-After': String(retryAfter)}
  if (body === 'none') return {status, headers: {...wait}}
  if (body === 'html') {
    const headers = {'Content-Type': 'text/html; charset=UTF-8', ...wait}
    return {status, headers, body: `<!doctype html><title>${status}</title><h1>${status}</h1>\n`}
  }
  const reason = fault.reason ?? REASONS[status] ?? (status < 500 ? 'badRequest' : 'backendError')
  const error = failure(status, reason, `The faults of this service say ${status} ${reason} here.`)
  return jsonResponse(status, errorBody(error), wait)
}
