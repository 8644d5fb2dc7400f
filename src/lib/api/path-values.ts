import {description} from '#lib/api/description/index.js'
import {isObject, own} from '#lib/platform/values.js'
import {type Operation, operationsOf, pathParameters} from './operations.js'
import type {RestDescription} from './types.js'
import {emptyOrStep, stepsOf} from './url-paths.js'
import {type Problem, shown} from './validate.js'

/**
 * Values that must not stand in a path, because another path would come of it (spec:
 * files-api.md, Endpoints): `files/{fileId}` with `trash` empties the trash. Who sends asks before.
 */

interface Described {
  readonly operation: Operation
  readonly segments: readonly string[]
}

const known = new WeakMap<RestDescription, readonly Described[]>()

/** The operations of a description with the segments of their paths; made once. */
function pathsOf(document: RestDescription): readonly Described[] {
  const made =
    known.get(document) ??
    operationsOf(document).map(operation => ({operation, segments: operation.path.split('/')}))
  known.set(document, made)
  return made
}

/**
 * Why a text cannot be the value of a path parameter of an operation, or `undefined` when it can.
 * It is looked at as the most obliging service would: decoded as often as can be, without regard to
 * capitals, blanks around it and slashes too many.
 */
export function pathProblem(
  {path, document}: Pick<Operation, 'path' | 'document'>,
  name: string,
  text: string,
): Problem | undefined {
  const problem = (words: string): Problem => ({at: name, rule: 'pattern', text: words})
  const words = emptyOrStep(text)
  if (words) return problem(words)
  const steps = stepsOf(text)
  const template = path.split('/')
  const at = template.indexOf(`{${name}}`)
  // It may be several segments, as `{+name}`: which, the service alone knows.
  if (at < 0) return undefined
  const others = template.map(segment => (isParameter(segment) ? undefined : segment))
  const start = [...others.slice(0, at), steps[0]]
  const whole = [...others.slice(0, at), ...steps, ...others.slice(at + 1)]
  const other = pathsOf(document).find(({segments}) => {
    const literal = segments[at]
    if (literal !== undefined && !isParameter(literal) && leadsTo(segments, start)) return true
    return steps.length > 1 && segments.length === whole.length && leadsTo(segments, whole)
  })
  if (!other) return undefined
  return problem(
    `must not be ${shown(text)}, which leads to another operation: ${other.operation.operationId}`,
  )
}

/**
 * Why a text cannot be what paths have under a name, such as `driveId`: it will stand in one sooner or
 * later. `undefined` when it can, or where no path has such a name.
 */
export function idProblem(
  name: string,
  text: string,
  document: RestDescription = description,
): Problem | undefined {
  const user = pathsOf(document).find(({operation}) => pathParameters(operation).includes(name))
  return user && pathProblem(user.operation, name, text)
}

/** The field of a record that names it in paths, and under which name. */
const NAMING: Readonly<Record<string, readonly [field: string, name: string]>> = {
  File: ['id', 'fileId'],
  ParentReference: ['id', 'fileId'],
  ChildReference: ['id', 'fileId'],
  Property: ['key', 'propertyKey'],
}

/** What `idProblem` has against a request body, `at` the place in it; the parents of a file included. */
export function bodyIdProblems({request, document}: Operation, body: unknown): Problem[] {
  const naming = own(NAMING, request?.$ref ?? '')
  if (!naming || !isObject(body)) return []
  const [field, name] = naming
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

/** Whether the start of a path may be meant by segments, of which those that are not known fit anything. */
function leadsTo(path: readonly string[], segments: ReadonlyArray<string | undefined>): boolean {
  return segments.every((segment, index) => {
    const theirs = path[index]!
    return (
      segment === undefined || isParameter(theirs) || theirs.toLowerCase() === segment.toLowerCase()
    )
  })
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{')
}
