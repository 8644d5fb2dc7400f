import type {Resource, RestDescription} from '#lib/api/types.js'
import {
  type Change,
  compareFlag,
  compareMaps,
  compareTexts,
  compareValue,
  type Comparison,
  tell,
  without,
} from './changes.js'
import {compareMethods, compareParameterMaps, methodsIn, type PlacedMethod} from './methods.js'
import {compareSchemas} from './schemas.js'
import {type Side, waysOf} from './ways.js'

/**
 * What changed from one description to another is found here, and which of it breaks whoever calls the
 * service by the old one. Whether a document is sound is not asked here: `../check` tells that.
 */

export interface Difference {
  /** In the order of the new document, what is gone before what came. */
  readonly changes: readonly Change[]
  /** The places of words for people that differ: titles, descriptions, links. */
  readonly texts: readonly string[]
}

/**
 * Methods are matched by `id` without the API's name, so that an API may take another name; all else by
 * the names that lead to it. `rootUrl` breaks nobody, for it is where the document came from;
 * `servicePath` and `batchPath` are part of every address, and do.
 */
export function diffDocuments(one: RestDescription, other: RestDescription): Difference {
  const [oldKey, newKey] = [keysOf(one), keysOf(other)]
  const [before, after] = [methodsIn(one, oldKey), methodsIn(other, newKey)]
  const found: Comparison = {
    changes: [],
    texts: [],
    oldKey,
    newKey,
    isInBoth: key => Object.hasOwn(before, key) && Object.hasOwn(after, key),
    wayOf: waysOf([sideOf(one, before), sideOf(other, after)]),
  }
  compareTop(one, other, found)
  compareParameterMaps(one.parameters, other.parameters, 'parameters', found)
  compareAuth(one, other, found)
  compareMaps(one.schemas, other.schemas, {
    removed: name => tell(found, 'removed', true, `schemas.${name}`, 'The schema is gone.'),
    added: name => tell(found, 'added', false, `schemas.${name}`, 'The schema is new.'),
    kept: (name, from, to) => {
      compareSchemas(from, to, `schemas.${name}`, found.wayOf(name), found)
    },
  })
  const common = {before: one.parameters, after: other.parameters}
  compareMaps(before, after, {
    removed: (_, {place, method}) =>
      tell(found, 'removed', true, place, `The method ${method.id} is gone.`),
    added: (_, {place, method}) =>
      tell(found, 'added', false, place, `The method ${method.id} is new.`),
    kept: (_, from, to) => compareMethods(from.method, to.method, to.place, common, found),
  })
  compareResources(one, other, '', found)
  const {changes, texts} = found
  return {changes, texts}
}

function keysOf({name}: RestDescription): (id: string) => string {
  const prefix = `${name}.`
  return id => (name !== '' && id.startsWith(prefix) ? id.slice(prefix.length) : id)
}

function sideOf(document: RestDescription, methods: Readonly<Record<string, PlacedMethod>>): Side {
  return {document, methods: Object.values(methods).map(({method}) => method)}
}

function compareTop(one: RestDescription, other: RestDescription, found: Comparison): void {
  const both = <K extends keyof RestDescription>(name: K) => [one[name], other[name]] as const
  compareValue(found, 'name', both('name'), false)
  compareValue(found, 'version', both('version'), false)
  compareValue(found, 'protocol', both('protocol'), one.protocol !== '')
  compareValue(found, 'rootUrl', both('rootUrl'), false)
  compareValue(found, 'servicePath', both('servicePath'), true)
  compareValue(found, 'batchPath', both('batchPath'), one.batchPath !== '')
  compareTexts(found, '', one, other, ['canonicalName', 'title', 'description'])
  compareTexts(found, '', one, other, ['documentationLink', 'icons', 'revision'])
  compareLists(one.labels, other.labels, 'labels', false, found)
  compareLists(one.features, other.features, 'features', true, found)
  const urls = ({endpoints = []}: RestDescription) =>
    endpoints.map(({endpointUrl = ''}) => endpointUrl)
  compareLists(urls(one), urls(other), 'endpoints', true, found)
}

function compareLists(
  one: readonly string[] = [],
  other: readonly string[] = [],
  place: string,
  breaks: boolean,
  found: Comparison,
): void {
  const gone = without(one, other)
  const come = without(other, one)
  if (gone.length > 0) tell(found, 'removed', breaks, place, `No more there: ${gone.join(', ')}.`)
  if (come.length > 0) tell(found, 'added', false, place, `New: ${come.join(', ')}.`)
}

function compareAuth(one: RestDescription, other: RestDescription, found: Comparison): void {
  const at = (name: string) => `auth.oauth2.scopes.${name}`
  compareMaps(one.auth.oauth2.scopes, other.auth.oauth2.scopes, {
    removed: name => tell(found, 'removed', true, at(name), 'The scope is gone.'),
    added: name => tell(found, 'added', false, at(name), 'The scope is new.'),
    kept: (name, from, to) => compareTexts(found, at(name), from, to, ['description']),
  })
}

/** Their methods are compared by id; what is left is whether a whole resource is deprecated. */
function compareResources(
  one: Pick<Partial<Resource>, 'resources'>,
  other: Pick<Partial<Resource>, 'resources'>,
  place: string,
  found: Comparison,
): void {
  compareMaps(one.resources, other.resources, {
    removed: () => {},
    added: () => {},
    kept: (name, from, to) => {
      const at = `${place}resources.${name}`
      compareFlag(found, `${at}.deprecated`, [from.deprecated, to.deprecated])
      compareResources(from, to, `${at}.`, found)
    },
  })
}
