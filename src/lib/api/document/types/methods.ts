import {referenceIn, textOrEmpty} from '#lib/api/document/clean.js'
import type {PlacedMethod} from '#lib/api/document/walk.js'
import type {SchemaMap} from '#lib/api/types.js'
import {isObject} from '#lib/api/validate.js'
import {comment, group, indentLines, key, literal} from './layout.js'
import type {Module} from './module.js'
import {isRecord, isText, parametersOf, tags} from './schemas.js'

/** A function of a generated module. */
interface Wanted {
  readonly name: string
  /** The function in the runtime's `connect` result to call. */
  readonly call: 'json' | 'media' | 'nothing' | 'pages'
  readonly returns: string
  readonly about?: string
}

/** The functions for a method: the call, and where supported its content and its pages. */
export function methodFunctions(
  placed: PlacedMethod,
  module: Module,
  unique: (name: string) => string,
  indent: number,
): string[] {
  const {place, method} = placed
  const name = place.at(-1)!
  const response = referenceIn(method.response)
  const answer = response === undefined ? undefined : (module.types.get(response) ?? 'unknown')
  const media = {call: 'media', returns: 'Promise<Response>'} as const
  const functions: Wanted[] = []
  if (answer !== undefined) functions.push({name, call: 'json', returns: `Promise<${answer}>`})
  else if (method.supportsMediaDownload === true) functions.push({name, ...media})
  else functions.push({name, call: 'nothing', returns: 'Promise<void>'})
  if (answer !== undefined && method.httpMethod === 'GET') {
    if (method.supportsMediaDownload === true) {
      const about = 'Downloads the content.'
      functions.push({name: unique(`${name}Media`), ...media, about})
    }
    if (hasPages(placed, module)) {
      const about = 'Returns the pages one after the other.'
      const returns = `AsyncGenerator<${answer}, void>`
      functions.push({name: unique(`${name}Pages`), call: 'pages', returns, about})
    }
  }
  return functions.map(wanted => written(placed, module, wanted, indent))
}

function hasPages(placed: PlacedMethod, {schemas}: Module): boolean {
  const fields = fieldsOf(schemas, referenceIn(placed.method.response))
  const token = Object.hasOwn(fields, 'nextPageToken') ? fields.nextPageToken : undefined
  return isText(token) && Object.hasOwn(parametersOf(placed), 'pageToken')
}

/** The fields of a record schema; empty for others. */
function fieldsOf(schemas: SchemaMap, name = ''): SchemaMap {
  const schema = Object.hasOwn(schemas, name) ? schemas[name]! : {}
  return isRecord(schema) ? (schema.properties ?? {}) : {}
}

/** A function with its comment. */
function written(placed: PlacedMethod, module: Module, wanted: Wanted, indent: number): string {
  const {method} = placed
  const upload = wanted.call === 'media' ? undefined : uploadOf(method.mediaUpload)
  const body = bodyType(placed, module)
  const own = parametersOf(placed)
  const isNeeded = Object.values(own).some(({required}) => required)
  const hasCommon = Object.keys(module.common).length > 0
  const type =
    module.parameters.get(placed.method) ??
    (hasCommon ? 'CommonParameters' : '{[name: string]: never}')
  const taken = [
    `parameters${isNeeded || body?.isNeeded ? '' : '?'}: ${type}`,
    ...(body ? [`body${body.isNeeded ? '' : '?'}: ${body.type}`] : []),
    `options?: ${upload ? 'UploadOptions' : 'CallOptions'}`,
  ]
  const head = comment(
    [method.description, wanted.about ?? '', `${method.httpMethod} ${method.path}`],
    indent,
    tags({deprecated: method.deprecated === true}),
  )
  const start = group(`${key(wanted.name)}(`, taken, `): ${wanted.returns} {`, {before: indent})
  const given = [callObject(placed, module, upload, indent + 4), 'parameters', 'options']
  if (body) given.push('body')
  const inner = group(`return api.${wanted.call}(`, given, ')', {before: indent + 2})
  return `${head}${start}\n${indentLines(inner)}\n},\n`
}

/** The type of the body, which is required if the document names fields that it must have. */
function bodyType({method}: PlacedMethod, {types, schemas}: Module) {
  const name = referenceIn(method.request)
  if (name === undefined || ['GET', 'HEAD'].includes(method.httpMethod)) return undefined
  const type = types.get(name) ?? 'unknown'
  const fields = fieldsOf(schemas, name)
  const needed = Object.keys(fields).filter(field =>
    fields[field]!.annotations?.required?.includes(method.id),
  )
  const isNeeded = needed.length > 0
  return {isNeeded, type: isNeeded ? `With<${type}, ${needed.map(literal).join(' | ')}>` : type}
}

/** The path for simple uploads, if the document has one. */
function uploadOf(mediaUpload: unknown) {
  const protocols = isObject(mediaUpload) ? mediaUpload.protocols : undefined
  const simple = isObject(protocols) ? protocols.simple : undefined
  if (!isObject(simple) || textOrEmpty(simple.path) === '') return undefined
  return {path: withoutSlash(textOrEmpty(simple.path)), multipart: simple.multipart === true}
}

function callObject(
  placed: PlacedMethod,
  {document, shadows}: Module,
  upload: ReturnType<typeof uploadOf>,
  before: number,
): string {
  const {method} = placed
  const line = {before: before + 2, behind: 1}
  const not = Object.entries(shadows(method)).map(([name, values]) =>
    group(`${key(name)}: [`, values.map(literal), ']', {before: before + 4, behind: 1}),
  )
  const uploaded = upload && [`path: ${literal(upload.path)}`, `multipart: ${upload.multipart}`]
  const members = [
    `method: ${literal(method.httpMethod)}`,
    `path: ${literal(withoutSlash(document.servicePath + withoutSlash(method.path)))}`,
    ...(uploaded ? [group('upload: {', uploaded, '}', line)] : []),
    ...(not.length > 0 ? [group('not: {', not, '}', line)] : []),
  ]
  return group('{', members, '}', {before, behind: 1})
}

function withoutSlash(path: string): string {
  return path.replace(/^\/+/, '')
}
