import type {Schema, SchemaMap} from '#lib/api/types.js'
import {alternatives, comment, indented, typed} from './layout.js'
import {key, literal} from './names.js'

/** What a type's text depends on besides the schema. */
export interface Writing {
  /** The type that stands for a schema of the document, by the schema's name. */
  readonly types: ReadonlyMap<string, string>
  /**
   * For parameters, which take the values that the document knows and leave lists alone. A record
   * may come from a service that is newer than the document, with values that it does not know.
   */
  readonly isSent: boolean
}

/** The declaration of a schema as a type of that name. */
export function declaration(name: string, schema: Schema, writing: Writing): string {
  const head = comment(facts(schema), 0, tags(schema))
  if (isRecord(schema)) return `${head}export interface ${name} ${recordType(schema, writing, 0)}\n`
  const start = `export type ${name} = `
  return `${head}${typed(start, typeOf(schema, writing, 0, start.length))}\n`
}

/** The members of an interface, a line or more each. `indent` is the number of blanks before them. */
export function members(properties: SchemaMap, writing: Writing, indent: number): string {
  return Object.entries(properties)
    .map(([name, schema]) => {
      const isOptional = !(writing.isSent && schema.required)
      const start = `${schema.readOnly ? 'readonly ' : ''}${key(name)}${isOptional ? '?' : ''}: `
      const type = typeOf(schema, writing, indent, start.length)
      return `${comment(facts(schema), indent, tags(schema))}${typed(start, type)}\n`
    })
    .join('')
}

/** The type of a schema behind `behind` characters on a line of so many blanks. */
function typeOf(schema: Schema, writing: Writing, indent: number, behind: number): string {
  const {repeated, ...one} = schema
  if (repeated) return arrayOf(one, writing, indent, behind)
  if (schema.$ref !== undefined) return writing.types.get(schema.$ref) ?? 'unknown'
  if (schema.type === 'array' || schema.items) {
    return arrayOf(schema.items ?? {}, writing, indent, behind)
  }
  if (isRecord(schema)) return recordType(schema, writing, indent)
  switch (schema.type) {
    // A number of 64 bits, bytes and dates are text on the wire, and stay so.
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

/** The values of an enumeration of texts as types; none where a schema is something else. */
function valueTypes(schema: Schema, {isSent}: Writing): string[] {
  const values = isText(schema) ? [...new Set(schema.enum)] : []
  if (values.length === 0) return []
  return values.map(literal).concat(isSent ? [] : '(string & {})')
}

/** Whether a value is one text. */
export function isText({type, repeated, $ref, items}: Schema = {}): boolean {
  return type === 'string' && !repeated && $ref === undefined && !items
}

/** Whether a value is an object, with whatever fields. */
export function isRecord({$ref, type, items, properties, additionalProperties}: Schema): boolean {
  if ($ref !== undefined || items || type === 'array') return false
  return type === 'object' || (type === undefined && Boolean(properties ?? additionalProperties))
}

/** Known fields are the rule; where a record may have others too, nothing is said of their type. */
function recordType(schema: Schema, writing: Writing, indent: number): string {
  const {properties = {}, additionalProperties} = schema
  const isEmpty = Object.keys(properties).length === 0
  if (isEmpty) {
    const type = additionalProperties
      ? typeOf(additionalProperties, writing, indent + 2, '[name: string]: '.length)
      : 'unknown'
    return `{\n${indented(typed('[name: string]: ', type))}\n}`
  }
  const rest = additionalProperties ? '[name: string]: unknown\n' : ''
  return `{\n${indented(members(properties, writing, indent + 2) + rest)}}`
}

/** What is said of a schema: its description, its values, and its bounds. */
export function facts(schema: Schema): string[] {
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
