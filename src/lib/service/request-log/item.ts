import type {Operation} from '#lib/api/operations.js'
import {isObject} from '#lib/platform/values.js'

/** Resources whose operations return the item that they created or changed. */
const RETURNED: readonly string[] = ['files', 'drives', 'children']

/** Parameters that name an item, the most specific first. */
const PARAMETERS = ['childId', 'fileId', 'folderId', 'driveId'] as const

/**
 * Returns the ID of the item that an operation is about: the created one, or the one that its
 * parameters name. `answer` is the result of the operation, if it has one yet.
 */
export function itemOf(
  {operationId, resource}: Operation,
  params: Readonly<Record<string, unknown>>,
  answer?: unknown,
): string | undefined {
  const id = isObject(answer) && RETURNED.includes(resource) ? answer.id : undefined
  if (typeof id === 'string') return id
  // The parameter of a copy names its source.
  if (operationId === 'files.copy') return undefined
  const name = PARAMETERS.find(name => typeof params[name] === 'string' && params[name] !== '')
  return name && String(params[name])
}
