import {description} from '#lib/api/description/index.js'
import {shortScope} from '#lib/api/description/scopes.js'
import {
  methodsIn,
  methodsOf,
  type PlacedGroup,
  type PlacedMethod,
  schemasOf,
} from '#lib/api/document/walk.js'
import {isOperationId} from '#lib/api/operations.js'
import type {Method, RestDescription} from '#lib/api/types.js'
import {isObject} from '#lib/api/validate.js'
import {count} from '#lib/cli/terminal/units.js'
import {kebabCase} from '#lib/platform/values.js'
import {headline, schemaEntry} from './describe-schema.js'
import {apart, entries, facts, named, type Paragraph, plain, titled} from './paragraphs.js'

/** Shows a method with everything a caller needs. */
export function methodText(document: RestDescription, {name, method}: PlacedMethod): Paragraph {
  const {basePath} = document
  const {httpMethod, path, flatPath, parameters = {}, scopes} = method
  const common = Object.keys(document.parameters).map(plain)
  return apart([
    named('', headline(name, method)),
    facts([
      ['Command', commandFor(document, name)],
      ['Request', `${plain(httpMethod)} ${plain(basePath + path)}`],
      ['Flat path', flatPath === path ? '' : plain(basePath + flatPath)],
      ['Body', bodyOf(document, method)],
      ['Response', refOf(method.response) || 'none'],
      ...uploadFacts(method),
      ['Download', downloadOf(document, method)],
      ['Watch', method.supportsSubscription === true ? 'supports notification channels' : ''],
    ]),
    titled(
      'Parameters',
      entries(
        Object.entries(parameters).map(([key, schema]) => schemaEntry(document, key, schema)),
      ),
    ),
    named('Common parameters:', common.join(', ')),
    titled('Scopes (any one is sufficient)', scopesText(document, scopes)),
  ])
}

/** Shows a group of methods and its subgroups. */
export function groupText(
  document: RestDescription,
  {place, name, resource}: PlacedGroup,
): Paragraph {
  const groups = Object.keys(resource.resources ?? {}).map(key => plain(`${name}.${key}`))
  return apart([
    named('', headline(name, {deprecated: resource.deprecated})),
    methodTable(methodsOf(document, place, resource)),
    named('Groups:', groups.join(', ')),
  ])
}

/** Methods as a table; those that are too wide take two lines. */
export function methodTable(methods: readonly PlacedMethod[]): Paragraph {
  const rows = methods.map(({name, method: {httpMethod, path, deprecated}}) => ({
    cells: [plain(name), plain(httpMethod)],
    words: `${plain(path)}${deprecated === true ? ' (deprecated)' : ''}`,
  }))
  return entries(rows, {alone: true})
}

/** Scopes with their descriptions; one that the document does not list has none. */
export function scopesText({auth}: RestDescription, scopes: readonly string[]): Paragraph {
  const known = auth.oauth2.scopes
  return entries(
    scopes.map(scope => {
      const short = shortScope(scope)
      return {
        cells: [plain(short)],
        words: Object.hasOwn(known, scope) ? plain(known[scope]?.description) : '',
        ...(short !== scope && {below: named('', plain(scope))}),
      }
    }),
  )
}

/** The command that calls a method: its own if drv has one, else `drv api call`. */
function commandFor({name: api}: RestDescription, name: string): string {
  const isOwn = api === description.name && isOperationId(name)
  return isOwn ? `drv ${kebabCase(name).replace('.', ' ')}` : `drv api call ${plain(name)}`
}

/** The request's record and the fields that this method requires. */
function bodyOf({schemas}: RestDescription, {id, request}: Method): string {
  const name = refOf(request)
  if (name === '') return ''
  const properties = Object.hasOwn(schemas, name) ? schemas[name]?.properties : undefined
  const needed = schemasOf(properties).flatMap(([field, {annotations}]) =>
    isObject(annotations) &&
    Array.isArray(annotations.required) &&
    annotations.required.includes(id)
      ? [plain(field)]
      : [],
  )
  return needed.length > 0 ? `${name}, with ${needed.join(', ')}` : name
}

function refOf(part: Method['request']): string {
  return isObject(part) ? plain(part.$ref) : ''
}

function uploadFacts({supportsMediaUpload, mediaUpload}: Method): Array<readonly [string, string]> {
  if (!isObject(mediaUpload)) {
    return supportsMediaUpload === true ? [['Upload', 'with content']] : []
  }
  const {protocols, accept, maxSize} = mediaUpload as Partial<NonNullable<Method['mediaUpload']>>
  const size = plain(maxSize)
  const types = Array.isArray(accept) ? accept.map(plain).join(', ') : ''
  const rules = [
    types && `accepts ${types}`,
    size && `at most ${/^\d+$/.test(size) ? `${size} bytes` : size}`,
  ]
  return [
    ...(isObject(protocols) ? Object.entries(protocols) : []).map(([name, protocol]) => {
      const {path, multipart} = isObject(protocol) ? protocol : {}
      return `${plain(name)}: ${plain(path)}${multipart === true ? ' (also multipart)' : ''}`
    }),
    rules.filter(Boolean).join('; '),
  ]
    .filter(Boolean)
    .map((words, index) => [index === 0 ? 'Upload' : '', words] as const)
}

function downloadOf({servicePath}: RestDescription, method: Method): string {
  if (method.supportsMediaDownload !== true) return ''
  const other = `, also at /download/${servicePath}${method.path}`
  return `the content, with alt=media${method.useMediaDownloadService === true ? plain(other) : ''}`
}

/** Shows a whole document: its address, methods, records and other names. */
export function wholeText(document: RestDescription): Paragraph {
  const {title, name, version, id, revision, rootUrl, batchPath} = document
  const methods = methodsIn(document)
  const schemas = Object.keys(document.schemas)
  const scopes = Object.keys(document.auth.oauth2.scopes)
  const parameters = Object.keys(document.parameters)
  const counts = [
    count(methods.length, 'method'),
    count(schemas.length, 'record'),
    count(scopes.length, 'scope'),
    count(parameters.length, 'common parameter'),
  ]
  return apart([
    named('', `${plain(title) || plain(name)} ${plain(version)}: ${counts.join(', ')}`),
    named('', plain(document.description)),
    facts([
      ['Name', plain(id)],
      ['Revision', plain(revision)],
      ['Address', plain(document.baseUrl)],
      ['Batches', batchPath && plain(rootUrl + batchPath)],
      ['Documentation', plain(document.documentationLink)],
      ...factsOf('Icons', Object.entries(isObject(document.icons) ? document.icons : {})),
      ['Labels', texts(document.labels)],
      ['Features', texts(document.features)],
      ...factsOf('Endpoints', endpoints(document)),
    ]),
    methodTable(methods),
    named('Records:', texts(schemas)),
    named('Common parameters:', texts(parameters)),
    named('Scopes:', texts(scopes.map(shortScope))),
    named('', 'For details: `drv api describe NAME`'),
  ])
}

/** Several facts under one label. */
function factsOf(
  name: string,
  all: ReadonlyArray<readonly [string, unknown]>,
): ReadonlyArray<readonly [string, string]> {
  return all.map(([key, value], index) => [
    index === 0 ? name : '',
    `${plain(key)} ${plain(value)}`.trim(),
  ])
}

function endpoints({endpoints: all}: RestDescription): ReadonlyArray<readonly [string, string]> {
  if (!Array.isArray(all)) return []
  return all.filter(isObject).map(({endpointUrl, location, description, deprecated}) => {
    const words = [location, description, deprecated === true && 'deprecated']
    return [plain(endpointUrl), words.filter(Boolean).map(plain).join(', ')] as const
  })
}

function texts(values: unknown): string {
  return Array.isArray(values) ? values.map(plain).join(', ') : ''
}
