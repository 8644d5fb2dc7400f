import {isOperationId, operations} from './operations.js'

/** Filters of requests that the local service has answered. */

/**
 * Returns the test for an operation such as `files.insert`, or for a group such as `files.*`;
 * `undefined` if there is no such operation.
 */
export function operationTest(word: string): ((operation?: string) => boolean) | undefined {
  const group = word.endsWith('.*') ? word.slice(0, -1) : undefined
  if (group === undefined) return isOperationId(word) ? operation => operation === word : undefined
  const isKnown = operations.some(({operationId}) => operationId.startsWith(group))
  return isKnown ? (operation = '') => operation.startsWith(group) : undefined
}

/** Returns the test for a status such as `404`, or for a group such as `4xx`; `undefined` for other text. */
export function statusTest(word: string): ((status: number) => boolean) | undefined {
  if (!/^[1-5](\d\d|xx)$/i.test(word)) return undefined
  const start = word.toLowerCase().replace('xx', '')
  return status => String(status).startsWith(start)
}
