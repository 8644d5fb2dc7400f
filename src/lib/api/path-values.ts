import {description} from '#lib/api/description/index.js'
import {isObject, ownProperty} from '#lib/platform/values.js'
import {type Operation, operationsOf, pathParameters} from './operations.js'
import type {RestDescription} from './types.js'
import {stepsOf, traversalProblem} from './url-paths.js'
import {type Problem, quoteText} from './validate.js'

/**
 * Checks of values for path parameters, done before sending. A value can turn the path into that of
 * another operation (spec: files-api.md, Endpoints): `files/{fileId}` with `trash` empties the trash.
 */

interface OperationPath {
  readonly operation: Operation
  readonly segments: readonly string[]
}

const cache = new WeakMap<RestDescription, readonly OperationPath[]>()

/** The operations of a description with the segments of their paths; cached. */
function pathsOf(document: RestDescription): readonly OperationPath[] {
  const paths =
    cache.get(document) ??
    operationsOf(document).map(operation => ({operation, segments: operation.path.split('/')}))
  cache.set(document, paths)
  return paths
}

/**
 * Why `text` cannot be the value of a path parameter; `undefined` if it can. Assumes the most lenient
 * service: one that decodes repeatedly and ignores case, surrounding spaces and extra slashes.
 */
export function pathProblem(
  {path, document}: Pick<Operation, 'path' | 'document'>,
  name: string,
  text: string,
): Problem | undefined {
  const problem = (reason: string): Problem => ({at: name, rule: 'pattern', text: reason})
  const reason = traversalProblem(text)
  if (reason) return problem(reason)
  const steps = stepsOf(text)
  const template = path.split('/')
  const at = template.indexOf(`{${name}}`)
  // A `{+name}` can span several segments, which only the service can check.
  if (at < 0) return undefined
  const others = template.map(segment => (isParameter(segment) ? undefined : segment))
  const start = [...others.slice(0, at), steps[0]]
  const whole = [...others.slice(0, at), ...steps, ...others.slice(at + 1)]
  const other = pathsOf(document).find(({segments}) => {
    const literal = segments[at]
    if (literal !== undefined && !isParameter(literal) && matchesStart(segments, start)) return true
    return steps.length > 1 && segments.length === whole.length && matchesStart(segments, whole)
  })
  if (!other) return undefined
  const {segments, operation} = other
  return problem(
    `must not be ${quoteText(text)}, because ${segments.join('/')} is the path of ${operation.operationId}`,
  )
}

/**
 * Why `text` cannot be an ID of the kind `name`, such as `driveId`: a later request would put it into a
 * path. `undefined` if it can, or if no path has a parameter `name`.
 */
export function idProblem(
  name: string,
  text: string,
  document: RestDescription = description,
): Problem | undefined {
  const user = pathsOf(document).find(({operation}) => pathParameters(operation).includes(name))
  return user && pathProblem(user.operation, name, text)
}

/** For each schema, the field that holds its ID, and the path parameter that takes this ID. */
const ID_FIELDS: Readonly<Record<string, readonly [field: string, name: string]>> = {
  File: ['id', 'fileId'],
  ParentReference: ['id', 'fileId'],
  ChildReference: ['id', 'fileId'],
  Property: ['key', 'propertyKey'],
}

/** The problems `idProblem` finds in a request body, including a file's parents; `at` is the path in the body. */
export function bodyIdProblems({request, document}: Operation, body: unknown): Problem[] {
  const idField = ownProperty(ID_FIELDS, request?.$ref ?? '')
  if (!idField || !isObject(body)) return []
  const [field, name] = idField
  const parents = Array.isArray(body.parents) ? body.parents : []
  const values = [
    [field, body[field]],
    ...parents.map((parent, at) => [`parents[${at}].id`, isObject(parent) && parent.id]),
  ]
  return values.flatMap(([at, value]) => {
    const problem = typeof value === 'string' && idProblem(name, value, document)
    return problem ? [{...problem, at: String(at)}] : []
  })
}

/** Whether `segments` can match the start of `path`; unknown segments and parameters match anything. */
function matchesStart(
  path: readonly string[],
  segments: ReadonlyArray<string | undefined>,
): boolean {
  return segments.every((segment, index) => {
    const expected = path[index]!
    return (
      segment === undefined ||
      isParameter(expected) ||
      expected.toLowerCase() === segment.toLowerCase()
    )
  })
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{')
}
