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
import {
  entryTable,
  factList,
  labeledParagraph,
  type Paragraph,
  plainParagraph,
  separateParagraphs,
  titledParagraph,
} from './paragraphs.js'

/** Shows a method with everything a caller needs. */
export function methodText(document: RestDescription, {name, method}: PlacedMethod): Paragraph {
  const {basePath} = document
  const {httpMethod, path, flatPath, parameters = {}, scopes} = method
  const common = Object.keys(document.parameters).map(plainParagraph)
  return separateParagraphs([
    labeledParagraph('', headline(name, method)),
    factList([
      ['Command', commandFor(document, name)],
      ['Request', `${plainParagraph(httpMethod)} ${plainParagraph(basePath + path)}`],
      ['Flat path', flatPath === path ? '' : plainParagraph(basePath + flatPath)],
      ['Body', bodyOf(document, method)],
      ['Response', refOf(method.response) || 'none'],
      ...uploadFacts(method),
      ['Download', downloadOf(document, method)],
      ['Watch', method.supportsSubscription === true ? 'supports notification channels' : ''],
    ]),
    titledParagraph(
      'Parameters',
      entryTable(
        Object.entries(parameters).map(([key, schema]) => schemaEntry(document, key, schema)),
      ),
    ),
    labeledParagraph('Common parameters:', common.join(', ')),
    titledParagraph('Scopes (any one is sufficient)', scopesText(document, scopes)),
  ])
}

/** Shows a group of methods and its subgroups. */
export function groupText(
  document: RestDescription,
  {place, name, resource}: PlacedGroup,
): Paragraph {
  const groups = Object.keys(resource.resources ?? {}).map(key => plainParagraph(`${name}.${key}`))
  return separateParagraphs([
    labeledParagraph('', headline(name, {deprecated: resource.deprecated})),
    methodTable(methodsOf(document, place, resource)),
    labeledParagraph('Groups:', groups.join(', ')),
  ])
}

/** Methods as a table; those that are too wide take two lines. */
export function methodTable(methods: readonly PlacedMethod[]): Paragraph {
  const rows = methods.map(({name, method: {httpMethod, path, deprecated}}) => ({
    cells: [plainParagraph(name), plainParagraph(httpMethod)],
    words: `${plainParagraph(path)}${deprecated === true ? ' (deprecated)' : ''}`,
  }))
  return entryTable(rows, {alone: true})
}

/** Scopes with their descriptions; one that the document does not list has none. */
export function scopesText({auth}: RestDescription, scopes: readonly string[]): Paragraph {
  const known = auth.oauth2.scopes
  return entryTable(
    scopes.map(scope => {
      const short = shortScope(scope)
      return {
        cells: [plainParagraph(short)],
        words: Object.hasOwn(known, scope) ? plainParagraph(known[scope]?.description) : '',
        ...(short !== scope && {below: labeledParagraph('', plainParagraph(scope))}),
      }
    }),
  )
}

/** The command that calls a method: its own if drv has one, else `drv api call`. */
function commandFor({name: api}: RestDescription, name: string): string {
  const isOwn = api === description.name && isOperationId(name)
  return isOwn ? `drv ${kebabCase(name).replace('.', ' ')}` : `drv api call ${plainParagraph(name)}`
}

/** The request's schema and the fields that this method requires. */
function bodyOf({schemas}: RestDescription, {id, request}: Method): string {
  const name = refOf(request)
  if (name === '') return ''
  const properties = Object.hasOwn(schemas, name) ? schemas[name]?.properties : undefined
  const needed = schemasOf(properties).flatMap(([field, {annotations}]) =>
    isObject(annotations) &&
    Array.isArray(annotations.required) &&
    annotations.required.includes(id)
      ? [plainParagraph(field)]
      : [],
  )
  return needed.length > 0 ? `${name}, with ${needed.join(', ')}` : name
}

function refOf(part: Method['request']): string {
  return isObject(part) ? plainParagraph(part.$ref) : ''
}

function uploadFacts({supportsMediaUpload, mediaUpload}: Method): Array<readonly [string, string]> {
  if (!isObject(mediaUpload)) {
    return supportsMediaUpload === true ? [['Upload', 'with content']] : []
  }
  const {protocols, accept, maxSize} = mediaUpload as Partial<NonNullable<Method['mediaUpload']>>
  const size = plainParagraph(maxSize)
  const types = Array.isArray(accept) ? accept.map(plainParagraph).join(', ') : ''
  const rules = [
    types && `accepts ${types}`,
    size && `at most ${/^\d+$/.test(size) ? `${size} bytes` : size}`,
  ]
  return [
    ...(isObject(protocols) ? Object.entries(protocols) : []).map(([name, protocol]) => {
      const {path, multipart} = isObject(protocol) ? protocol : {}
      return `${plainParagraph(name)}: ${plainParagraph(path)}${multipart === true ? ' (also multipart)' : ''}`
    }),
    rules.filter(Boolean).join('; '),
  ]
    .filter(Boolean)
    .map((words, index) => [index === 0 ? 'Upload' : '', words] as const)
}

function downloadOf({servicePath}: RestDescription, method: Method): string {
  if (method.supportsMediaDownload !== true) return ''
  const other = `, also at /download/${servicePath}${method.path}`
  return `the content, with alt=media${method.useMediaDownloadService === true ? plainParagraph(other) : ''}`
}

/** Shows a whole document: its address, methods, schemas and other names. */
export function wholeText(document: RestDescription): Paragraph {
  const {title, name, version, id, revision, rootUrl, batchPath} = document
  const methods = methodsIn(document)
  const schemas = Object.keys(document.schemas)
  const scopes = Object.keys(document.auth.oauth2.scopes)
  const parameters = Object.keys(document.parameters)
  const counts = [
    count(methods.length, 'method'),
    count(schemas.length, 'schema'),
    count(scopes.length, 'scope'),
    count(parameters.length, 'common parameter'),
  ]
  return separateParagraphs([
    labeledParagraph(
      '',
      `${plainParagraph(title) || plainParagraph(name)} ${plainParagraph(version)}: ${counts.join(', ')}`,
    ),
    labeledParagraph('', plainParagraph(document.description)),
    factList([
      ['Name', plainParagraph(id)],
      ['Revision', plainParagraph(revision)],
      ['URL', plainParagraph(document.baseUrl)],
      ['Batches', batchPath && plainParagraph(rootUrl + batchPath)],
      ['Documentation', plainParagraph(document.documentationLink)],
      ...factsOf('Icons', Object.entries(isObject(document.icons) ? document.icons : {})),
      ['Labels', texts(document.labels)],
      ['Features', texts(document.features)],
      ...factsOf('Endpoints', endpoints(document)),
    ]),
    methodTable(methods),
    labeledParagraph('Schemas:', texts(schemas)),
    labeledParagraph('Common parameters:', texts(parameters)),
    labeledParagraph('Scopes:', texts(scopes.map(shortScope))),
    labeledParagraph('', 'For details, run `drv api describe NAME`.'),
  ])
}

/** Several facts under one label. */
function factsOf(
  name: string,
  all: ReadonlyArray<readonly [string, unknown]>,
): ReadonlyArray<readonly [string, string]> {
  return all.map(([key, value], index) => [
    index === 0 ? name : '',
    `${plainParagraph(key)} ${plainParagraph(value)}`.trim(),
  ])
}

function endpoints({endpoints: all}: RestDescription): ReadonlyArray<readonly [string, string]> {
  if (!Array.isArray(all)) return []
  return all.filter(isObject).map(({endpointUrl, location, description, deprecated}) => {
    const words = [location, description, deprecated === true && 'deprecated']
    return [
      plainParagraph(endpointUrl),
      words.filter(Boolean).map(plainParagraph).join(', '),
    ] as const
  })
}

function texts(values: unknown): string {
  return Array.isArray(values) ? values.map(plainParagraph).join(', ') : ''
}
