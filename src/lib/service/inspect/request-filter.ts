import {operationTest, statusTest} from '#lib/api/request-filter.js'
import type {RequestEntry} from '#lib/service/request-log/request-log.js'

/** The filter of the list of requests, from the query of its URL. */
export interface EntryFilter {
  readonly values: Readonly<Record<FilterName, string>>
  /** The problem with an invalid value, as a sentence. */
  readonly problem?: string
  isShown(entry: RequestEntry): boolean
}

const FILTER_NAMES = ['operation', 'status', 'path', 'user'] as const
type FilterName = (typeof FILTER_NAMES)[number]

/** Reads the filter. An invalid value shows all requests. */
export function readFilter(query: URLSearchParams): EntryFilter {
  const values = Object.fromEntries(
    FILTER_NAMES.map(name => [name, query.get(name)?.trim() ?? '']),
  ) as EntryFilter['values']
  const {operation, status, path, user} = values
  const hasOperation = operation === '' ? () => true : operationTest(operation)
  const hasStatus = status === '' ? () => true : statusTest(status)
  const problem = !hasOperation
    ? `There is no operation “${operation}”. Use a name such as files.insert, or files.* for a group.`
    : !hasStatus
      ? `“${status}” is not a status. Use a status such as 404, or 4xx for a group.`
      : undefined
  return {
    values,
    problem,
    isShown: entry =>
      (hasOperation?.(entry.operation ?? entry.continues) ?? true) &&
      (hasStatus?.(entry.status) ?? true) &&
      entry.path.includes(path) &&
      (user === '' || entry.user === user),
  }
}
