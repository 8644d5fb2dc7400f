import {performance} from 'node:perf_hooks'
import {isObject, parseJson} from '#lib/platform/values.js'
import type {ServiceRequest, ServiceResponse} from '#lib/service/http/message.js'
import type {CallFacts, RequestLog} from './request-log.js'

/** Writes the requests of a service into its log. */
export interface Recorder {
  /** Adds facts about a request that is being served. */
  note(request: ServiceRequest, facts: CallFacts): void
  /** Runs `work` for a request and records the response. */
  record(request: ServiceRequest, work: () => Promise<ServiceResponse>): Promise<ServiceResponse>
}

/** Creates a recorder. `clock` returns Unix ms. */
export function createRequestRecorder(requestLog: RequestLog, clock: () => number): Recorder {
  // Facts belong to the URL object, because the other parts of a request are copied when it is passed on.
  const facts = new WeakMap<URL, CallFacts>()
  return {
    note({url}, more) {
      facts.set(url, {...facts.get(url), ...more})
    },
    async record(request, work) {
      const {method, url} = request
      const {pathname: path} = url
      const time = clock()
      const start = performance.now()
      const response = await work()
      const {status} = response
      requestLog.add({
        time,
        method,
        path,
        ...facts.get(url),
        status,
        reason: reasonOf(response),
        milliseconds: Math.round((performance.now() - start) * 10) / 10,
      })
      return response
    },
  }
}

/** The start of an error response. The token endpoint sends errors with status 200. */
const ERROR = /^\{\s*"error"/

/** The reason in an error response: of the file service, or the error code of the authorization service. */
function reasonOf({body}: ServiceResponse): string | undefined {
  const fields = typeof body === 'string' && ERROR.test(body) ? parseJson(body) : undefined
  const error = isObject(fields) ? fields.error : undefined
  if (typeof error === 'string') return error
  const [first] = isObject(error) && Array.isArray(error.errors) ? (error.errors as unknown[]) : []
  return isObject(first) && typeof first.reason === 'string' ? first.reason : undefined
}
