import {isOperationId, operations} from '#lib/api/operations.js'
import type {Row} from '#lib/cli/output/format.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import type {RequestEntry} from '#lib/service/journal/journal.js'

/** Requests that the local service has answered, as rows, and which of them to show. */

export const REQUEST_COLUMNS = [
  ...['time', 'status', 'method', 'path', 'operation', 'user', 'reason', 'milliseconds'],
]

/** All columns, for `--columns`. */
export const ALL_REQUEST_COLUMNS = [...REQUEST_COLUMNS, 'app', 'scopes', 'fault', 'service']

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
  const names = wordsOf(operation).map(operationTest)
  const statuses = wordsOf(status).map(statusTest)
  return entry =>
    (names.length === 0 || names.some(fits => fits(entry))) &&
    (statuses.length === 0 || statuses.some(fits => fits(entry)))
}

function wordsOf(values: readonly string[] = []): readonly string[] {
  return values.flatMap(value => value.split(',')).map(word => word.trim())
}

function operationTest(word: string): RequestTest {
  const group = word.endsWith('.*') ? word.slice(0, -1) : undefined
  const isKnown = group
    ? operations.some(({operationId}) => operationId.startsWith(group))
    : isOperationId(word)
  if (!isKnown) {
    throw new UsageError(
      `Invalid --operation: there is no operation "${word}".`,
      'Use names such as files.insert, or files.* for all of files.',
    )
  }
  return ({operation = ''}) => (group ? operation.startsWith(group) : operation === word)
}

function statusTest(word: string): RequestTest {
  const pattern = /^[1-5](\d\d|xx)$/i.test(word) ? word.toLowerCase().replace('xx', '') : undefined
  if (pattern === undefined) {
    throw new UsageError(
      `Invalid --status: "${word}" is not a status.`,
      'Use a status such as 404, or 4xx for all from 400 to 499.',
    )
  }
  return ({status}) => String(status).startsWith(pattern)
}
