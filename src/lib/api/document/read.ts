import type {Method, Resource, RestDescription, SchemaMap} from '#lib/api/types.js'
import {withoutEndSlashes} from '#lib/api/url-paths.js'
import {isObject, quoteText} from '#lib/api/validate.js'
import {parseUrl} from '#lib/platform/values.js'
import {isDeeperThan, MOST_LEVELS} from './walk.js'

/**
 * Reads description documents of any service. The built-in description is data in `../description`.
 */

/** A value that is not a usable description. */
export class DocumentError extends Error {
  /** `at` is the place in the document, '' for the whole; `problem` follows it in the message. */
  constructor(
    readonly at: string,
    readonly problem: string,
  ) {
    super(`${at === '' ? 'The description' : at} ${problem}.`)
    this.name = 'DocumentError'
  }
}

type Members = Readonly<Record<string, unknown>>

/**
 * A description with defaults for missing fields and without unknown ones' effects. Only `kind`,
 * `rootUrl` and `servicePath` are required (reference: description-format.md, section 1). Throws
 * `DocumentError`.
 */
export function readDocument(value: unknown): RestDescription {
  const all = object('', value)
  if (isDeeperThan(value, MOST_LEVELS)) {
    throw new DocumentError('', `is nested more than ${MOST_LEVELS} levels deep`)
  }
  const kind = text(all, '', 'kind')
  if (kind !== 'discovery#restDescription') {
    throw new DocumentError('kind', `must be discovery#restDescription, not ${quoteText(kind)}`)
  }
  const rootUrl = text(all, '', 'rootUrl')
  if (!parseUrl(rootUrl)) throw new DocumentError('rootUrl', 'must be a URL')
  if (typeof all.servicePath !== 'string') throw new DocumentError('servicePath', 'is missing')
  const servicePath = slashed(all.servicePath.replace(/^\/+/, ''))
  const oauth2 = member(member(all, '', 'auth'), 'auth', 'oauth2')
  const scopes = maps(oauth2, 'auth.oauth2', 'scopes', (facts, at) => ({
    description: text(facts, at, 'description'),
  }))
  return {
    ...(all as Partial<RestDescription>),
    ...texts(all, ['discoveryVersion', 'name', 'version', 'canonicalName', 'revision']),
    ...texts(all, ['title', 'description', 'protocol', 'documentationLink']),
    kind,
    id: text(all, '', 'id') || `${text(all, '', 'name')}:${text(all, '', 'version')}`,
    rootUrl: slashed(rootUrl),
    servicePath,
    baseUrl: slashed(rootUrl) + servicePath,
    basePath: `/${servicePath}`,
    batchPath: text(all, '', 'batchPath').replace(/^\/+/, ''),
    parameters: schemas(all, '', 'parameters'),
    auth: {oauth2: {scopes}},
    schemas: maps(all, '', 'schemas', (schema, at) => ({
      id: at.slice('schemas.'.length),
      ...schema,
    })),
    methods: methods(all, ''),
    resources: resources(all, ''),
  }
}

function resources(parent: Members, place: string): Readonly<Record<string, Resource>> {
  return maps(parent, place, 'resources', (resource, at) => ({
    ...resource,
    methods: methods(resource, at),
    resources: resources(resource, at),
  }))
}

function methods(parent: Members, place: string): Readonly<Record<string, Method>> {
  return maps(parent, place, 'methods', (method, at): Method => {
    const path = text(method, at, 'path')
    const httpMethod = text(method, at, 'httpMethod')
    if (httpMethod === '') throw new DocumentError(`${at}.httpMethod`, 'is missing')
    return {
      ...method,
      id: text(method, at, 'id') || at.replace(/(^|\.)(resources|methods)(?=\.)/g, '').slice(1),
      path,
      flatPath: text(method, at, 'flatPath') || path,
      httpMethod: httpMethod as Method['httpMethod'],
      description: text(method, at, 'description'),
      parameters: schemas(method, at, 'parameters'),
      parameterOrder: list(method, at, 'parameterOrder'),
      scopes: list(method, at, 'scopes'),
    }
  })
}

/** Schemas must be objects; nothing else is checked. */
function schemas(parent: Members, place: string, name: string): SchemaMap {
  return maps(parent, place, name, schema => schema)
}

/** The members of a map, converted with `make`; empty if the map is missing. */
function maps<T>(
  parent: Members,
  place: string,
  name: string,
  make: (value: Members, at: string) => T,
): Readonly<Record<string, T>> {
  const at = below(place, name)
  return Object.fromEntries(
    Object.entries(member(parent, place, name)).map(([key, value]) => {
      const inner = below(at, key)
      return [key, make(object(inner, value), inner)]
    }),
  )
}

function member(parent: Members, place: string, name: string): Members {
  const value = parent[name]
  return value === undefined || value === null ? {} : object(below(place, name), value)
}

function object(at: string, value: unknown): Members {
  if (isObject(value)) return value
  throw new DocumentError(at, 'must be a JSON object')
}

function text(parent: Members, place: string, name: string): string {
  const value = parent[name] ?? ''
  if (typeof value === 'string') return value
  throw new DocumentError(below(place, name), 'must be a string')
}

function texts<const N extends string>(parent: Members, names: readonly N[]): Record<N, string> {
  return Object.fromEntries(names.map(name => [name, text(parent, '', name)])) as Record<N, string>
}

function list(parent: Members, place: string, name: string): readonly string[] {
  const value = parent[name] ?? []
  if (Array.isArray(value) && value.every(item => typeof item === 'string')) return value
  throw new DocumentError(below(place, name), 'must be a list of strings')
}

function below(place: string, name: string): string {
  return place === '' ? name : `${place}.${name}`
}

/** A path with exactly one trailing slash; '' stays ''. */
function slashed(path: string): string {
  return path === '' ? '' : `${withoutEndSlashes(path)}/`
}
