import {methodFault} from '#lib/api/document/fault.js'
import {DocumentError} from '#lib/api/document/read.js'
import {typesModule} from '#lib/api/document/types/index.js'
import {methodsIn} from '#lib/api/document/walk.js'
import {type Operation, operationsOf} from '#lib/api/operations.js'
import type {Method, RestDescription} from '#lib/api/types.js'
import {literalSegments, matchUrlPath, traversalProblem} from '#lib/api/url-paths.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {nearest, suggestionSentence} from '#lib/platform/nearest.js'
import {printable} from '#lib/platform/sanitize.js'
import {kebabCase} from '#lib/platform/values.js'

/**
 * The method with a name: `drive.files.generateIds`, `files.generateIds` or `files.generate-ids`. Throws
 * `UsageError` for an unknown name and suggests the nearest one.
 */
export function methodNamed(document: RestDescription, name: string): Operation {
  const wanted = name.toLowerCase()
  const all = operationsOf(document).map(method => ({
    method,
    short: [method.resource, method.verb].filter(Boolean).join('.'),
  }))
  const found = all.find(({method: {id}, short}) =>
    [id, short, kebabCase(short)].some(known => known.toLowerCase() === wanted),
  )
  if (found) return found.method
  const meant = nearest(
    name,
    all.flatMap(({method, short}) => [method.id, short]),
  )
  throw new UsageError(
    `${document.id} has no method "${name}".`,
    meant === undefined ? 'Run `drv api describe` to list all methods.' : suggestionSentence(meant),
  )
}

/** The method for a path, its parameters as `NAME=VALUE`, and the description that contains it. */
export interface MethodReading {
  readonly document: RestDescription
  readonly method: Operation
  readonly params: readonly string[]
}

/**
 * The GET method for a path such as `files/ID?fields=id`, with its parameters as `NAME=VALUE`; a plain GET
 * if the description has none. Throws `UsageError` for a URL, and for a path with empty or dot segments.
 */
export function methodReading(document: RestDescription, text: string): MethodReading {
  const [whole = '', query = ''] = text.split(/\?(.*)/s)
  const base = (document.servicePath ?? '').replace(/^\/|\/$/g, '')
  if (/^\w+:\/\//.test(whole)) {
    throw new UsageError(
      `"${whole}" is a URL, not a path.`,
      'Leave out the URL of the service, as in `drv api get about`.',
    )
  }
  const path = whole.replace(/^\/+/, '')
  const short = base !== '' && path.startsWith(`${base}/`) ? path.slice(base.length + 1) : path
  const [found] = operationsOf(document)
    .filter(({httpMethod}) => httpMethod === 'GET')
    .flatMap(method => {
      const values = matchUrlPath(method.path, short.replace(/\/$/, ''))
      return values ? [{method, values}] : []
    })
    .sort((one, other) => literalSegments(other.method.path) - literalSegments(one.method.path))
  const asked = [...new URLSearchParams(query)]
  const pairs = [...Object.entries(found?.values ?? {}), ...asked]
  const params = pairs.map(([name, value]) => `${name}=${value}`)
  if (found) return {document, method: found.method, params}
  const problem = traversalProblem(short)
  if (problem !== undefined) throw new UsageError(`Invalid PATH: ${problem}.`)
  const names = asked.map(([name]) => name)
  return {...plainReading(document, short, names), params}
}

/** The name of the method for an undescribed path. */
const PLAIN = 'get'

/** A description with an additional GET method for a path, which may return any schema. */
function plainReading(
  document: RestDescription,
  path: string,
  names: readonly string[],
): Pick<MethodReading, 'document' | 'method'> {
  const literal = path.replaceAll('{', '%7B').replaceAll('}', '%7D')
  const described: Method = {
    id: `${document.name}.${PLAIN}`,
    path: literal,
    flatPath: literal,
    httpMethod: 'GET',
    description: 'Read a path.',
    parameters: Object.fromEntries(names.map(name => [name, {type: 'string', location: 'query'}])),
    response: {$ref: ANY_SCHEMA},
    scopes: [],
  }
  const extended = {
    ...document,
    methods: {...document.methods, [PLAIN]: described},
    schemas: {...document.schemas, [ANY_SCHEMA]: {id: ANY_SCHEMA, type: 'object'}},
  } satisfies RestDescription
  const method = operationsOf(extended).find(({id}) => id === described.id)!
  return {document: extended, method}
}

/** An unknown schema. */
const ANY_SCHEMA = 'AnyRecord'

/** Throws `UsageError` for a method whose description is invalid. */
export function refuseFault(method: Operation): void {
  const fault = methodFault(method)
  if (fault === undefined) return
  throw new UsageError(
    `The description is invalid: ${printable(method.id, 100)} ${fault}.`,
    'Run `drv api validate` to list its problems.',
  )
}

/**
 * The TypeScript module for the named methods, or for all. Throws `UsageError` for an unknown name or an
 * invalid method.
 */
export function typesFor(document: RestDescription, names: readonly string[]): string {
  const chosen = names.map(name => methodNamed(document, name))
  for (const method of names.length === 0 ? operationsOf(document) : chosen) refuseFault(method)
  const ids = new Set(chosen.map(({id}) => id))
  const placed = methodsIn(document).filter(({method}) => ids.has(method.id))
  try {
    return typesModule(document, names.length === 0 ? undefined : placed)
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error
    throw new UsageError(
      `Cannot generate types: ${error.message}`,
      'Pass only the methods that you need.',
    )
  }
}
