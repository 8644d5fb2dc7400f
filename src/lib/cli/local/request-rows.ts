import {operationTest, statusTest} from '#lib/api/request-filter.js'
import type {Row} from '#lib/cli/output/format.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import type {RequestEntry} from '#lib/service/request-log/request-log.js'

/** Requests that the local service has answered, as rows, and which of them to show. */

export const REQUEST_COLUMNS = [
  ...['time', 'status', 'method', 'path', 'operation', 'user', 'reason', 'milliseconds'],
]

/** All columns, for `--columns`. */
export const ALL_REQUEST_COLUMNS = [
  ...REQUEST_COLUMNS,
  ...['app', 'scopes', 'fault', 'item', 'continues', 'service'],
]

/** The row of a request; `service` is the URL of the service if several are shown. */
export function requestRow(
  {time, status, method, path, ...rest}: RequestEntry,
  service?: string,
): Row {
  return {
    ...{time: new Date(time).toISOString(), status, method, path, ...rest},
    ...(service !== undefined && {service}),
  }
}

/** Whether to show a request. */
export type RequestTest = (entry: RequestEntry) => boolean

/**
 * Reads `--operation` and `--status`, both lists. Throws `UsageError` for an operation or a status that
 * does not exist.
 */
export function requestTest({
  operation,
  status,
}: {
  readonly operation?: readonly string[]
  readonly status?: readonly string[]
}): RequestTest {
  const names = wordsOf(operation).map(operationFilter)
  const statuses = wordsOf(status).map(statusFilter)
  return entry =>
    (names.length === 0 || names.some(fits => fits(entry))) &&
    (statuses.length === 0 || statuses.some(fits => fits(entry)))
}

function wordsOf(values: readonly string[] = []): readonly string[] {
  return values.flatMap(value => value.split(',')).map(word => word.trim())
}

function operationFilter(word: string): RequestTest {
  const test = operationTest(word)
  if (test) return ({operation}) => test(operation)
  throw new UsageError(
    `Invalid --operation: there is no operation "${word}".`,
    'Use names such as files.insert, or files.* for all operations on files.',
  )
}

function statusFilter(word: string): RequestTest {
  const test = statusTest(word)
  if (test) return ({status}) => test(status)
  throw new UsageError(
    `Invalid --status: "${word}" is not a status.`,
    'Use a status such as 404, or 4xx for all from 400 to 499.',
  )
}
