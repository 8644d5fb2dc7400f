import {cleanSchemas, referenceIn} from '#lib/api/document/clean.js'
import {methodsIn, type PlacedMethod, reachedSchemas} from '#lib/api/document/walk.js'
import type {Method, RestDescription, SchemaMap} from '#lib/api/types.js'
import text from './client-runtime.ts?raw'
import {isTypeName, typeName, uniqueNames} from './layout.js'
import {parametersName, parametersOf} from './schemas.js'
import {type FindShadows, shadowsAmong} from './shadows.js'

/**
 * The runtime that every module contains: it uses `fetch` and no package. It comes before the generated
 * functions, and no generated type takes a name that it uses.
 */
export const runtime = text.trimEnd().replace('export function connect', 'function connect')

/** What a module is generated from, with final type names. */
export interface Module {
  readonly document: RestDescription
  /** All methods of the document, including those that are not generated. */
  readonly methods: readonly PlacedMethod[]
  /** Finds values that would address another of these methods. */
  readonly shadows: FindShadows
  readonly chosen: ReadonlySet<Method>
  readonly schemas: SchemaMap
  /** Parameters of every method, except those that the client sets itself. */
  readonly common: SchemaMap
  /** The type name of each generated schema. */
  readonly types: ReadonlyMap<string, string>
  /** The type name of each method's own parameters, if it has any. */
  readonly parameters: ReadonlyMap<Method, string>
}

/** Parameters that the client sets itself, or that would put a token into a URL. */
const SET_BY_CLIENT = new Set(
  'access_token oauth_token bearer_token alt callback uploadType upload_protocol'.split(' '),
)

/** Everything to generate for these methods, or for the whole document. */
export function moduleOf(document: RestDescription, chosen?: readonly PlacedMethod[]): Module {
  const methods = methodsIn(document)
  const wanted = new Set((chosen ?? methods).map(({method}) => method))
  const written = methods.filter(({method}) => wanted.has(method))
  const schemas = withoutLoops(cleanSchemas(document.schemas))
  const reached = chosen && reachedSchemas(schemas, chosen.flatMap(refsOf))
  const names = Object.keys(schemas).filter(name => !reached || reached.has(name))
  const unique = uniqueNames(takenNames())
  // Valid type names are assigned first, so that they stay unchanged.
  const sorted = [...names.filter(isTypeName), ...names.filter(name => !isTypeName(name))]
  const types = new Map(sorted.map(name => [name, unique(typeName(name))]))
  const withParameters = written.filter(placed => Object.keys(parametersOf(placed)).length > 0)
  return {
    document,
    methods,
    shadows: shadowsAmong(methods),
    chosen: new Set(written.map(({method}) => method)),
    schemas: Object.fromEntries(names.map(name => [name, schemas[name]!])),
    common: Object.fromEntries(
      Object.entries(cleanSchemas(document.parameters)).filter(
        ([name]) => !SET_BY_CLIENT.has(name),
      ),
    ),
    types,
    parameters: new Map(
      withParameters.map(placed => [placed.method, unique(parametersName(placed))]),
    ),
  }
}

/** The schemas of a method's request and response. */
function refsOf({method}: PlacedMethod) {
  return [referenceIn(method.request), referenceIn(method.response)]
}

/** Type names that the module uses itself. */
function takenNames(): string[] {
  const code = runtime.replace(/\/\*\*[^]*?\*\/|\/\/.*|'[^'\n]*'/g, '')
  return ['CommonParameters', 'Client', 'Omit', ...(code.match(/\b[A-Z]\w*/g) ?? [])]
}

/** Replaces a schema that only refers to itself with an empty one. */
function withoutLoops(schemas: SchemaMap): SchemaMap {
  /** For each visited schema, whether it only refers to itself. */
  const isLoop = new Map<string, boolean>()
  for (const name of Object.keys(schemas)) {
    const way = new Set<string>()
    let at: string | undefined = name
    while (at !== undefined && Object.hasOwn(schemas, at) && !isLoop.has(at) && !way.has(at)) {
      way.add(at)
      at = schemas[at]!.$ref
    }
    const ends = at !== undefined && (way.has(at) || isLoop.get(at) === true)
    for (const passed of way) isLoop.set(passed, ends)
  }
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, isLoop.get(name) ? {} : schema]),
  )
}
