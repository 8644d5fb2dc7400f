import {cleanSchemas} from '#lib/api/document/clean.js'
import {documentNames, type PlacedMethod} from '#lib/api/document/walk.js'
import type {Schema, SchemaMap} from '#lib/api/types.js'
import {
  alternatives,
  capitalised,
  comment,
  indentLines,
  key,
  literal,
  typed,
  typeName,
  WIDTH,
} from './layout.js'

/** Settings for the text of a type. */
export interface Writing {
  /** The type name for each schema of the document. */
  readonly types: ReadonlyMap<string, string>
  /**
   * Whether the type is for parameters, which accept only known values and readonly lists. A record may
   * come from a service newer than the document, with unknown values.
   */
  readonly isSent: boolean
}

/** The declaration of a schema as a named type. */
export function declaration(name: string, schema: Schema, writing: Writing): string {
  const head = comment(schemaComment(schema), 0, tags(schema))
  if (isRecord(schema)) return `${head}export interface ${name} ${recordType(schema, writing, 0)}\n`
  const start = `export type ${name} = `
  return `${head}${typed(start, typeOf(schema, writing, 0, start.length))}\n`
}

/** The members of an interface. `indent` is the number of spaces before them. */
export function interfaceMembers(properties: SchemaMap, writing: Writing, indent: number): string {
  return Object.entries(properties)
    .map(([name, schema]) => {
      const isOptional = !(writing.isSent && schema.required)
      const start = `${schema.readOnly ? 'readonly ' : ''}${key(name)}${isOptional ? '?' : ''}: `
      const type = typeOf(schema, writing, indent, start.length)
      return `${comment(schemaComment(schema), indent, tags(schema))}${typed(start, type)}\n`
    })
    .join('')
}

/** The type of a schema, after `indent` spaces and `behind` characters on its line. */
function typeOf(schema: Schema, writing: Writing, indent: number, behind: number): string {
  const {repeated, ...one} = schema
  if (repeated) return arrayOf(one, writing, indent, behind)
  if (schema.$ref !== undefined) return writing.types.get(schema.$ref) ?? 'unknown'
  if (schema.type === 'array' || schema.items) {
    return arrayOf(schema.items ?? {}, writing, indent, behind)
  }
  if (isRecord(schema)) return recordType(schema, writing, indent)
  switch (schema.type) {
    // 64-bit numbers, bytes and dates are strings in JSON, and stay strings.
    case 'string':
      return alternatives(valueTypes(schema, writing), indent, behind) || 'string'
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
    case 'null':
      return schema.type
    default:
      return 'unknown'
  }
}

function arrayOf(schema: Schema, writing: Writing, indent: number, behind: number): string {
  const readonly = writing.isSent ? 'readonly ' : ''
  const around = valueTypes(schema, writing).length > 1 ? '()[]'.length : 0
  const element = typeOf(schema, writing, indent, behind + readonly.length + around)
  if (!around && !element.startsWith('readonly ')) return `${readonly}${element}[]`
  return `${readonly}(${element}${element.startsWith('\n') ? '\n' : ''})[]`
}

/** The values of a string enumeration as types; empty for other schemas. */
function valueTypes(schema: Schema, {isSent}: Writing): string[] {
  const values = isText(schema) ? [...new Set(schema.enum)] : []
  if (values.length === 0) return []
  return values.map(literal).concat(isSent ? [] : '(string & {})')
}

/** Whether a schema's value is a single string. */
export function isText({type, repeated, $ref, items}: Schema = {}): boolean {
  return type === 'string' && !repeated && $ref === undefined && !items
}

/** Whether a schema's value is an object. */
export function isRecord({$ref, type, items, properties, additionalProperties}: Schema): boolean {
  if ($ref !== undefined || items || type === 'array') return false
  return type === 'object' || (type === undefined && Boolean(properties ?? additionalProperties))
}

/** An object type. If other fields are allowed, their type is unknown. */
function recordType(schema: Schema, writing: Writing, indent: number): string {
  const {properties = {}, additionalProperties} = schema
  const isEmpty = Object.keys(properties).length === 0
  if (isEmpty) {
    const type = additionalProperties
      ? typeOf(additionalProperties, writing, indent + 2, '[name: string]: '.length)
      : 'unknown'
    return `{\n${indentLines(typed('[name: string]: ', type))}\n}`
  }
  const rest = additionalProperties ? '[name: string]: unknown\n' : ''
  return `{\n${indentLines(interfaceMembers(properties, writing, indent + 2) + rest)}}`
}

/** The text about a schema: its description, values and bounds. */
export function schemaComment(schema: Schema): string[] {
  const {enum: values = [], enumDescriptions = []} = schema
  const bounds = [
    schema.format && `Format: ${schema.format}.`,
    schema.minimum && `At least ${schema.minimum}.`,
    schema.maximum && `At most ${schema.maximum}.`,
    schema.pattern && `Pattern: ${schema.pattern}`,
    schema.default && `Default: ${schema.default}.`,
  ]
  return [
    schema.description ?? '',
    ...values.flatMap((value, index) =>
      enumDescriptions[index] ? [`- ${value}: ${enumDescriptions[index]}`] : [],
    ),
    bounds.filter(Boolean).join(' '),
  ]
}

export function tags({deprecated}: {readonly deprecated?: boolean}): string[] {
  return deprecated ? ['@deprecated'] : []
}

/** The interface of a method's own parameters, which extends the common ones. */
export function parametersInterface(
  placed: PlacedMethod,
  name: string,
  common: SchemaMap,
  types: Writing['types'],
): string {
  const own = parametersOf(placed)
  const head = comment([`Parameters of ${documentNames(placed.place).join('.')}.`], 0)
  const inner = indentLines(interfaceMembers(own, {types, isSent: true}, 2))
  return `${head}${opening(name, Object.keys(common), Object.keys(own))}\n${inner}}\n`
}

/** A method's own parameter replaces a common one of the same name. */
function opening(name: string, common: readonly string[], own: readonly string[]): string {
  const again = own.filter(known => common.includes(known)).map(literal)
  if (common.length === 0) return `export interface ${name} {`
  if (again.length === 0) return `export interface ${name} extends CommonParameters {`
  const start = `export interface ${name} extends Omit<`
  const line = `${start}CommonParameters, ${again.join(' | ')}> {`
  if (line.length <= WIDTH) return line
  const rest = alternatives(again, 2, 0)
  return `${start}\n  CommonParameters,\n  ${indentLines(rest).trimStart()}\n> {`
}

/** The name for the interface of a method's parameters: `FilesListParameters`. */
export function parametersName({place}: PlacedMethod): string {
  return typeName(
    `${documentNames(place)
      .map(word => capitalised(typeName(word)))
      .join('')}Parameters`,
  )
}

/** A method's parameters; those in its path exist and are required, whatever the document says. */
export function parametersOf({method}: PlacedMethod): SchemaMap {
  const given = cleanSchemas(method.parameters)
  const named = Object.fromEntries(
    pathNames(method.path).map(name => {
      const schema = Object.hasOwn(given, name) ? given[name] : {type: 'string' as const}
      return [name, {...schema, required: true}]
    }),
  )
  return {...named, ...given, ...named}
}

function pathNames(path: string): string[] {
  return [...path.matchAll(/\{\+?([^{}]+)\}/g)].map(([, name = '']) => name)
}
