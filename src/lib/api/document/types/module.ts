import {cleanSchemas, referenceIn} from '#lib/api/document/clean.js'
import {methodsIn, type PlacedMethod, reachedSchemas} from '#lib/api/document/walk.js'
import type {Method, RestDescription, SchemaMap} from '#lib/api/types.js'
import text from './client-runtime.ts?raw'
import {isTypeName, typeName, uniqueNames} from './layout.js'
import {parametersName, parametersOf} from './schemas.js'
import {type FindShadows, shadowsAmong} from './shadows.js'

/**
 * What each module brings along: plain `fetch`, and no package. It stands before the functions that
 * are made from the document, and no type of the document takes a name that it uses.
 */
export const runtime = text.trimEnd().replace('export function connect', 'function connect')

/** What a module is written from, with the names of its types settled. */
export interface Module {
  readonly document: RestDescription
  /** All methods of the document, those included that are not written. */
  readonly methods: readonly PlacedMethod[]
  /** What leads to another one of them. */
  readonly shadows: FindShadows
  readonly chosen: ReadonlySet<Method>
  readonly schemas: SchemaMap
  /** What every method takes, but for what the client itself sets. */
  readonly common: SchemaMap
  /** The type of each schema that is written. */
  readonly types: ReadonlyMap<string, string>
  /** The type of a method's own parameters, where it has any. */
  readonly parameters: ReadonlyMap<Method, string>
}

/** The client sets these itself, or they would carry a token into an address. */
const SET_BY_CLIENT = new Set(
  'access_token oauth_token bearer_token alt callback uploadType upload_protocol'.split(' '),
)

/** Everything that is written of these methods, or of the whole document. */
export function moduleOf(document: RestDescription, chosen?: readonly PlacedMethod[]): Module {
  const methods = methodsIn(document)
  const wanted = new Set((chosen ?? methods).map(({method}) => method))
  const written = methods.filter(({method}) => wanted.has(method))
  const schemas = withoutLoops(cleanSchemas(document.schemas))
  const reached = chosen && reachedSchemas(schemas, chosen.flatMap(refsOf))
  const names = Object.keys(schemas).filter(name => !reached || reached.has(name))
  const unique = uniqueNames(takenNames())
  // Who has a good name keeps it, whoever comes first.
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

/** The schemas that a method takes and answers with. */
function refsOf({method}: PlacedMethod) {
  return [referenceIn(method.request), referenceIn(method.response)]
}

/** Types that the module has, or uses, besides those of the document. */
function takenNames(): string[] {
  const code = runtime.replace(/\/\*\*[^]*?\*\/|\/\/.*|'[^'\n]*'/g, '')
  return ['CommonParameters', 'Client', 'Omit', ...(code.match(/\b[A-Z]\w*/g) ?? [])]
}

/** A schema that is only another name of itself is nothing at all. */
function withoutLoops(schemas: SchemaMap): SchemaMap {
  /** Whether a schema that was followed leads to nothing but itself. */
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
