import {parseMaxSize} from '#lib/api/document/formats.js'
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
  compareFields,
  type DocumentChange,
  type DocumentComparison,
  type FieldRules,
  flagRule,
  listRule,
  memberRules,
  reportChange,
  reportValues,
  type Rule,
  type SchemaUse,
  textRule,
  value,
  withoutKeys,
} from './rules.js'
import {schema} from './schemas.js'

/**
 * Compares two descriptions and finds the changes that break callers of the old one. `../check` checks
 * whether a document is valid.
 */

export interface DocumentDifference {
  /** In the order of the new document, removals before additions. */
  readonly changes: readonly DocumentChange[]
  /** Places of changed texts for people: titles, descriptions, links. */
  readonly texts: readonly string[]
}

/**
 * Matches methods by `id` without the API's name, so that an API may be renamed, and all else by its
 * path. A new `rootUrl` breaks nobody, since the document came from there. `servicePath` and `batchPath`
 * are part of every URL, so changes to them do.
 */
export function diffDocuments(one: RestDescription, other: RestDescription): DocumentDifference {
  const sides = {one: sideOf(one), other: sideOf(other)}
  const found: DocumentComparison = {
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
  memberRules<PlacedMethod>({
    gone: ({method}) => `Removed the method ${method.id}.`,
    come: ({method}) => [`Added the method ${method.id}.`, false],
    placeOf: ({place}) => place.join('.'),
    kept: ({one: {method: before}, other: {method: after}, ...pair}) =>
      compareFields(methodRules(common), {...pair, one: before, other: after}),
  })({one: sides.one.methods, other: sides.other.methods, place: '', way: BOTH_WAYS, found})
  const resources = {one: one.resources, other: other.resources}
  inResources({...resources, place: 'resources', way: BOTH_WAYS, found})
  const {changes, texts} = found
  return {changes, texts}
}

const BOTH_WAYS: SchemaUse = {isSent: true, isAnswered: true}
const SENT: SchemaUse = {isSent: true, isAnswered: false, isParameter: true}

/** A document and its methods by ID without the API's name; the first method with an ID counts. */
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

/** The directions of each schema in either document. An unused schema may go both ways. */
function waysOf(sides: readonly Side[]): (name: string) => SchemaUse {
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

function topRules(wayOf: (schema: string) => SchemaUse): FieldRules<RestDescription> {
  return {
    name: value(false),
    version: value(false),
    protocol: value(({one}) => one !== ''),
    rootUrl: value(false),
    servicePath: value(true),
    batchPath: value(({one}) => one !== ''),
    canonicalName: textRule,
    title: textRule,
    description: textRule,
    documentationLink: textRule,
    icons: textRule,
    revision: textRule,
    labels: listRule(false),
    features: listRule(true),
    endpoints({one = [], other = [], ...pair}) {
      const urls = [one, other].map(all => all.map(({endpointUrl = ''}) => endpointUrl))
      listRule(true)({...pair, one: urls[0], other: urls[1]})
    },
    parameters,
    auth({one, other, ...pair}) {
      memberRules<{readonly description: string}>({
        gone: () => 'Removed the scope.',
        come: () => ['Added the scope.', false],
        kept: scope => compareFields({description: textRule}, scope),
      })({
        ...pair,
        place: `${pair.place}.oauth2.scopes`,
        one: one.oauth2.scopes,
        other: other.oauth2.scopes,
      })
    },
    schemas: memberRules<Schema>({
      gone: () => 'Removed the schema.',
      come: () => ['Added the schema.', false],
      kept: (pair, name) => schema({...pair, way: wayOf(name)}),
    }),
  }
}

const parameters: Rule<SchemaMap> = memberRules<Schema>({
  gone: () => 'Removed the parameter.',
  come: ({required = false}) => [
    required ? 'Added a required parameter.' : 'Added the parameter.',
    required,
  ],
  kept: pair => schema({...pair, way: SENT}),
})

/** `common` are the parameters of all methods in each document. */
function methodRules(common: Readonly<Record<'one' | 'other', SchemaMap>>): FieldRules<Method> {
  const refs: Rule<{readonly $ref: string} | undefined> = ({one = {}, other = {}, ...pair}) =>
    compareFields<{readonly $ref?: string}>(
      {$ref: value(({one}) => one !== undefined)},
      {...pair, one, other},
    )
  return {
    httpMethod: value(true),
    path: value(true),
    deprecated: flagRule(),
    description: textRule,
    // A parameter that moved between a method and all methods is unchanged.
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
    // Any one scope is sufficient, so a removed scope breaks only callers that have no other.
    scopes(pair) {
      const {one, other} = pair
      const [wasOpen, isOpen] = [one.length === 0, other.length === 0]
      const lost = isOpen ? 'No scope is required now; removed:' : 'No longer sufficient:'
      const won = wasOpen ? 'One of these scopes is required now:' : 'Also sufficient now:'
      reportValues(pair, 'removed', !isOpen, lost, withoutKeys(one, other))
      reportValues(pair, 'added', wasOpen, won, withoutKeys(other, one))
    },
    supportsMediaDownload: flagRule(false),
    supportsSubscription: flagRule(false),
    mediaUpload(pair) {
      const {one, other} = pair
      if (one && other) compareFields(UPLOAD, {...pair, one, other})
      else if (one) reportChange(pair, 'removed', true, 'Content is no longer accepted.')
      else if (other) reportChange(pair, 'added', false, 'Content is accepted now.')
    },
  }
}

const UPLOAD: FieldRules<MediaUpload> = {
  // Without a list every type is accepted.
  accept(pair) {
    const {one = ['*/*'], other = ['*/*']} = pair
    const beyond = (ranges: readonly string[], wider: readonly string[]) =>
      ranges.filter(range => !wider.some(all => isPart(range, all)))
    reportValues(pair, 'removed', true, 'No longer accepted:', beyond(one, other))
    reportValues(pair, 'added', false, 'Also accepted now:', beyond(other, one))
  },
  maxSize(pair) {
    const [before, after] = [bytesOf(pair.one), bytesOf(pair.other)]
    if (before !== after) value<string | undefined>(after < before)(pair)
  },
  protocols: memberRules<{readonly path: string; readonly multipart?: boolean}>({
    gone: () => 'Removed the upload protocol.',
    come: () => ['Added the upload protocol.', false],
    kept: pair => compareFields({path: value(true), multipart: flagRule(false)}, pair),
  }),
}

function bytesOf(size = ''): number {
  return parseMaxSize(size) ?? Infinity
}

/** Whether a media range is contained in another one. */
function isPart(range: string, wider: string): boolean {
  return (
    wider === '*/*' ||
    range === wider ||
    (wider.endsWith('/*') && range.startsWith(wider.slice(0, -1)))
  )
}

/** Compares whether resources are deprecated; their methods are compared by ID elsewhere. */
const inResources: Rule<Readonly<Record<string, Resource>> | undefined> = memberRules<Resource>({
  kept: pair => compareFields({deprecated: flagRule(), resources: inResources}, pair),
})
