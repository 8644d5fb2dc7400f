import type {Method, Resource, RestDescription, SchemaMap} from '#lib/api/types.js'
import {
  compareFlag,
  compareMaps,
  compareTexts,
  compareValue,
  type Comparison,
  tell,
  type Way,
  without,
} from './changes.js'
import {compareSchemas} from './schemas.js'
import {compareUploads} from './uploads.js'

/** Methods with their parameters. */

export interface PlacedMethod {
  readonly method: Method
  readonly place: string
}

/** All methods by what their id is without the API's name, with their places. */
export function methodsIn(
  document: RestDescription,
  keyOf: (id: string) => string,
): Readonly<Record<string, PlacedMethod>> {
  const all = new Map<string, PlacedMethod>()
  const look = ({methods = {}, resources = {}}: Partial<Resource>, place: string) => {
    for (const [name, method] of Object.entries(methods)) {
      const key = keyOf(method.id)
      if (!all.has(key)) all.set(key, {method, place: `${place}methods.${name}`})
    }
    for (const [name, resource] of Object.entries(resources)) {
      look(resource, `${place}resources.${name}.`)
    }
  }
  look(document, '')
  return Object.fromEntries(all)
}

/** The parameters that all methods of each document have besides their own. */
export interface Common {
  readonly before: SchemaMap
  readonly after: SchemaMap
}

/** `place` is that of the new one. */
export function compareMethods(
  one: Method,
  other: Method,
  place: string,
  common: Common,
  found: Comparison,
): void {
  const at = (name: string) => `${place}.${name}`
  const both = <K extends keyof Method>(name: K) => [one[name], other[name]] as const
  compareValue(found, at('httpMethod'), both('httpMethod'), true)
  compareValue(found, at('path'), both('path'), true)
  compareFlag(found, at('deprecated'), both('deprecated'))
  compareTexts(found, place, one, other, ['description'])
  compareParameters(one, other, at('parameters'), common, found)
  for (const name of ['request', 'response'] as const) {
    const refs = [one[name]?.$ref, other[name]?.$ref] as const
    compareValue(found, at(`${name}.$ref`), refs, refs[0] !== undefined)
  }
  compareScopes(one.scopes, other.scopes, at('scopes'), found)
  compareFlag(found, at('supportsMediaDownload'), both('supportsMediaDownload'), false)
  compareFlag(found, at('supportsSubscription'), both('supportsSubscription'), false)
  compareUploads(one.mediaUpload, other.mediaUpload, at('mediaUpload'), found)
}

/** A parameter that went from a method to all methods, or back, is still there. */
function compareParameters(
  one: Method,
  other: Method,
  place: string,
  {before, after}: Common,
  found: Comparison,
): void {
  const [old = {}, now = {}] = [one.parameters, other.parameters]
  const names = new Set([...Object.keys(old), ...Object.keys(now)])
  const withCommon = (own: SchemaMap, shared: SchemaMap): SchemaMap =>
    Object.fromEntries([
      ...Object.entries(shared).filter(([name]) => names.has(name)),
      ...Object.entries(own),
    ])
  compareParameterMaps(withCommon(old, before), withCommon(now, after), place, found)
}

const SENT: Way = {isSent: true, isAnswered: false, isParameter: true}

export function compareParameterMaps(
  one: SchemaMap,
  other: SchemaMap,
  place: string,
  found: Comparison,
): void {
  compareMaps(one, other, {
    removed: name => tell(found, 'removed', true, `${place}.${name}`, 'The parameter is gone.'),
    added: (name, {required = false}) => {
      const words = required ? 'The parameter is new, and required.' : 'The parameter is new.'
      tell(found, 'added', required, `${place}.${name}`, words)
    },
    kept: (name, before, after) => compareSchemas(before, after, `${place}.${name}`, SENT, found),
  })
}

/** Any one scope is enough, so that only who has none of the others loses by one that is gone. */
function compareScopes(
  one: readonly string[],
  other: readonly string[],
  place: string,
  found: Comparison,
): void {
  const gone = without(one, other)
  const come = without(other, one)
  if (gone.length > 0) {
    const words = other.length > 0 ? 'Not enough any more' : 'No scope is needed any more, not even'
    tell(found, 'removed', other.length > 0, place, `${words}: ${gone.join(', ')}.`)
  }
  if (come.length > 0) {
    const words = one.length > 0 ? 'Enough as well' : 'It was open to all, and needs one of these'
    tell(found, 'added', one.length === 0, place, `${words}: ${come.join(', ')}.`)
  }
}
