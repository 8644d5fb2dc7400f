import {description} from '../../api/description/index.js'
import {shortScope} from '../../api/description/scopes.js'
import {kebabCase} from '../../api/names.js'
import {type Operation, operations} from '../../api/operations.js'
import type {Schema} from '../../api/types.js'
import {UsageError} from './errors.js'
import {nearest} from '../../api/nearest.js'
import {alignedRows} from '../output/align.js'
import {displayWidth, wrap} from '../output/width.js'

/** A part of the description, and how it is shown. */
export interface Described {
  /** As it stands in the document. */
  readonly json: object | undefined
  readonly text: (width: number) => string
}

/** The whole service: its operations and its records. */
export function describeAll(): Described {
  const rows = operations.map(({operationId, httpMethod, path}) => [operationId, httpMethod, path])
  const schemas = Object.keys(description.schemas).join(', ')
  return {
    json: description,
    text: width =>
      [
        `${description.title} ${description.version}: ${operations.length} operations\n`,
        alignedRows(rows, width),
        hanging('Records:', schemas, width),
        'More of one: `drv api describe NAME`\n',
      ].join('\n'),
  }
}

/**
 * The method or record of that name. A method is `files.trash`, `drive.files.trash`,
 * `files trash` or `files generate-ids`; a record is `File`. Throws `UsageError` for a name that
 * is none, with the nearest one that is.
 */
export function describeNamed(words: readonly string[]): Described {
  const name = words.join('.')
  const plain = name.replace(new RegExp(`^${description.name}\\.`), '').toLowerCase()
  const method = operations.find(({operationId}) =>
    [operationId.toLowerCase(), kebabCase(operationId)].includes(plain),
  )
  if (method) return describeMethod(method)
  const record = Object.keys(description.schemas).find(id => id.toLowerCase() === plain)
  if (record) return describeSchema(record, description.schemas[record]!)
  const known = [
    ...operations.map(({operationId}) => operationId),
    ...Object.keys(description.schemas),
  ]
  const meant = nearest(plain, known)
  throw new UsageError(
    `Neither an operation nor a record is called "${words.join(' ')}".`,
    meant ? `Did you mean ${meant}?` : '`drv api describe` shows all names.',
  )
}

function describeMethod(method: Operation): Described {
  const {operationId, resource, verb, httpMethod, path, parameters, request, response} = method
  const {[verb]: json} = description.resources[resource]?.methods ?? {}
  const facts = [
    ['Command', `drv ${resource} ${kebabCase(verb)}`],
    ['Request', `${httpMethod} ${description.basePath}${path}`],
    ['Body', request?.$ref ?? ''],
    ['Answer', response?.$ref ?? (method.supportsMediaDownload ? 'content' : 'none')],
    ['Scopes', method.scopes.map(shortScope).join(', ')],
  ].filter(([, value]) => value !== '')
  const rows = Object.entries(parameters).map(([name, schema]) => [
    name,
    typeOf(schema),
    marks(schema),
    schema.description ?? '',
  ])
  return {
    json,
    text: width =>
      [
        hanging('', `${operationId}: ${method.description}`, width),
        facts.map(([name = '', value = '']) => hanging(name.padEnd(8), value, width)).join(''),
        ...(rows.length > 0 ? [`Parameters\n${explained(rows, width)}`] : []),
      ].join('\n'),
  }
}

function describeSchema(id: string, schema: Schema): Described {
  const rows = Object.entries(schema.properties ?? {}).map(([name, property]) => [
    name,
    typeOf(property),
    marks(property),
    property.description ?? '',
  ])
  const head = `${id}: ${schema.description}`
  return {json: schema, text: width => `${hanging('', head, width)}\n${explained(rows, width)}`}
}

function typeOf({$ref, type, format, items, additionalProperties, repeated}: Schema): string {
  if ($ref) return $ref
  if (items) return `list of ${typeOf(items)}`
  if (additionalProperties) return `map of ${typeOf(additionalProperties)}`
  return `${repeated ? 'repeated ' : ''}${format ?? type ?? 'any'}`
}

function marks({required, readOnly, deprecated, default: value, enum: values}: Schema): string {
  return [
    required && 'required',
    readOnly && 'read only',
    deprecated && 'deprecated',
    values && values.join('|'),
    value && `= ${value}`,
  ]
    .filter(Boolean)
    .join(', ')
}

/** Words with a name before them, on as many lines as they need. */
function hanging(name: string, words: string, width: number): string {
  const head = name && `${name} `
  const [first = '', ...more] = wrap(words, width - head.length)
  return [head + first, ...more.map(line => ' '.repeat(head.length) + line), ''].join('\n')
}

/**
 * A table whose last column explains the rest of the row. Where that does not fit beside the
 * others, it stands below them, on as many lines as it needs.
 */
function explained(rows: ReadonlyArray<readonly string[]>, width: number): string {
  const whole = alignedRows(rows, Infinity)
  if (whole.split('\n').every(line => displayWidth(line) <= width)) return whole
  const heads = alignedRows(
    rows.map(row => row.slice(0, -1)),
    width,
  ).split('\n')
  return rows
    .map((row, index) => [heads[index], ...wrap(row.at(-1) ?? '', width - INDENT.length)])
    .map(([head, ...lines]) => [head, ...lines.map(line => INDENT + line), ''].join('\n'))
    .join('')
}

const INDENT = ' '.repeat(4)
