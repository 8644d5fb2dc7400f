import {bytesIn} from '#lib/api/document/formats.js'
import {methodsIn, type PlacedMethod, reachedSchemas, shortId} from '#lib/api/document/walk.js'
import type {
  MediaUpload,
  Method,
  Resource,
  RestDescription,
  Schema,
  SchemaMap,
} from '#lib/api/types.js'
import {
  type Change,
  compareFields,
  type Comparison,
  entries,
  flag,
  members,
  type Rule,
  type Rules,
  tell,
  tellValues,
  value,
  type Way,
  without,
  words,
} from './rules.js'
import {schema} from './schemas.js'

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
  const sides = {one: sideOf(one), other: sideOf(other)}
  const found: Comparison = {
    changes: [],
    texts: [],
    inBoth: (ids = [], side) =>
      ids
        .map(id => shortId({one, other}[side], id))
        .filter(id => [sides.one, sides.other].every(({methods}) => Object.hasOwn(methods, id))),
  }
  const wayOf = waysOf([sides.one, sides.other])
  const common = {one: one.parameters, other: other.parameters}
  compareFields(topRules(wayOf), {one, other, place: '', way: BOTH_WAYS, found})
  members<PlacedMethod>({
    gone: ({method}) => `The method ${method.id} is gone.`,
    come: ({method}) => [`The method ${method.id} is new.`, false],
    placeOf: ({place}) => place.join('.'),
    kept: ({one: {method: before}, other: {method: after}, ...pair}) =>
      compareFields(methodRules(common), {...pair, one: before, other: after}),
  })({one: sides.one.methods, other: sides.other.methods, place: '', way: BOTH_WAYS, found})
  const resources = {one: one.resources, other: other.resources}
  inResources({...resources, place: 'resources', way: BOTH_WAYS, found})
  const {changes, texts} = found
  return {changes, texts}
}

const BOTH_WAYS: Way = {isSent: true, isAnswered: true}
const SENT: Way = {isSent: true, isAnswered: false, isParameter: true}

/** A document, and its methods by their IDs without the API's name; the first one of an ID counts. */
interface Side {
  readonly document: RestDescription
  readonly methods: Readonly<Record<string, PlacedMethod>>
}

function sideOf(document: RestDescription): Side {
  const methods = new Map<string, PlacedMethod>()
  for (const placed of methodsIn(document)) {
    if (!methods.has(placed.name)) methods.set(placed.name, placed)
  }
  return {document, methods: Object.fromEntries(methods)}
}

/** The ways of each schema in either document. What no method names may go both ways. */
function waysOf(sides: readonly Side[]): (name: string) => Way {
  const reached = (refOf: (method: Method) => string | undefined) =>
    new Set(
      sides.flatMap(({document, methods}) => [
        ...reachedSchemas(
          document.schemas,
          Object.values(methods).map(({method}) => refOf(method)),
        ),
      ]),
    )
  const sent = reached(({request}) => request?.$ref)
  const answered = reached(({response}) => response?.$ref)
  return name => {
    const isUsed = sent.has(name) || answered.has(name)
    return {isSent: !isUsed || sent.has(name), isAnswered: !isUsed || answered.has(name)}
  }
}

function topRules(wayOf: (schema: string) => Way): Rules<RestDescription> {
  return {
    name: value(false),
    version: value(false),
    protocol: value(({one}) => one !== ''),
    rootUrl: value(false),
    servicePath: value(true),
    batchPath: value(({one}) => one !== ''),
    canonicalName: words,
    title: words,
    description: words,
    documentationLink: words,
    icons: words,
    revision: words,
    labels: entries(false),
    features: entries(true),
    endpoints({one = [], other = [], ...pair}) {
      const urls = [one, other].map(all => all.map(({endpointUrl = ''}) => endpointUrl))
      entries(true)({...pair, one: urls[0], other: urls[1]})
    },
    parameters,
    auth({one, other, ...pair}) {
      members<{readonly description: string}>({
        gone: () => 'The scope is gone.',
        come: () => ['The scope is new.', false],
        kept: scope => compareFields({description: words}, scope),
      })({
        ...pair,
        place: `${pair.place}.oauth2.scopes`,
        one: one.oauth2.scopes,
        other: other.oauth2.scopes,
      })
    },
    schemas: members<Schema>({
      gone: () => 'The schema is gone.',
      come: () => ['The schema is new.', false],
      kept: (pair, name) => schema({...pair, way: wayOf(name)}),
    }),
  }
}

const parameters: Rule<SchemaMap> = members<Schema>({
  gone: () => 'The parameter is gone.',
  come: ({required = false}) => [
    required ? 'The parameter is new, and required.' : 'The parameter is new.',
    required,
  ],
  kept: pair => schema({...pair, way: SENT}),
})

/** `common` are the parameters that all methods of each document have besides their own. */
function methodRules(common: Readonly<Record<'one' | 'other', SchemaMap>>): Rules<Method> {
  const refs: Rule<{readonly $ref: string} | undefined> = ({one = {}, other = {}, ...pair}) =>
    compareFields<{readonly $ref?: string}>(
      {$ref: value(({one}) => one !== undefined)},
      {...pair, one, other},
    )
  return {
    httpMethod: value(true),
    path: value(true),
    deprecated: flag(),
    description: words,
    // One that went from a method to all methods, or back, is still there.
    parameters({one = {}, other = {}, ...pair}) {
      const names = new Set([...Object.keys(one), ...Object.keys(other)])
      const withCommon = (own: SchemaMap, shared: SchemaMap): SchemaMap =>
        Object.fromEntries([
          ...Object.entries(shared).filter(([name]) => names.has(name)),
          ...Object.entries(own),
        ])
      const [before, after] = [withCommon(one, common.one), withCommon(other, common.other)]
      parameters({...pair, one: before, other: after})
    },
    request: refs,
    response: refs,
    // Any one scope is enough, so that only who has none of the others loses by one that is gone.
    scopes(pair) {
      const {one, other} = pair
      const [wasOpen, isOpen] = [one.length === 0, other.length === 0]
      const lost = isOpen ? 'No scope is needed any more, not even:' : 'Not enough any more:'
      const won = wasOpen ? 'It was open to all, and needs one of these:' : 'Enough as well:'
      tellValues(pair, 'removed', !isOpen, lost, without(one, other))
      tellValues(pair, 'added', wasOpen, won, without(other, one))
    },
    supportsMediaDownload: flag(false),
    supportsSubscription: flag(false),
    mediaUpload(pair) {
      const {one, other} = pair
      if (one && other) compareFields(UPLOAD, {...pair, one, other})
      else if (one) tell(pair, 'removed', true, 'No content is taken any more.')
      else if (other) tell(pair, 'added', false, 'Content is taken.')
    },
  }
}

const UPLOAD: Rules<MediaUpload> = {
  // Without a list every type is taken.
  accept(pair) {
    const {one = ['*/*'], other = ['*/*']} = pair
    const beyond = (ranges: readonly string[], wider: readonly string[]) =>
      ranges.filter(range => !wider.some(all => isPart(range, all)))
    tellValues(pair, 'removed', true, 'Not taken any more:', beyond(one, other))
    tellValues(pair, 'added', false, 'Taken as well:', beyond(other, one))
  },
  maxSize(pair) {
    const [before, after] = [bytesOf(pair.one), bytesOf(pair.other)]
    if (before !== after) value<string | undefined>(after < before)(pair)
  },
  protocols: members<{readonly path: string; readonly multipart?: boolean}>({
    gone: () => 'The way to upload is gone.',
    come: () => ['The way to upload is new.', false],
    kept: pair => compareFields({path: value(true), multipart: flag(false)}, pair),
  }),
}

function bytesOf(size = ''): number {
  return bytesIn(size) ?? Infinity
}

/** Whether each type of a media range is one of another range. */
function isPart(range: string, wider: string): boolean {
  return (
    wider === '*/*' ||
    range === wider ||
    (wider.endsWith('/*') && range.startsWith(wider.slice(0, -1)))
  )
}

/** Methods are compared by their IDs; what is left is whether a whole resource is deprecated. */
const inResources: Rule<Readonly<Record<string, Resource>> | undefined> = members<Resource>({
  kept: pair => compareFields({deprecated: flag(), resources: inResources}, pair),
})
