import type {Schema, SchemaMap} from '../../types.js'
import {alternatives, comment, indented} from './layout.js'
import {key, literal} from './names.js'

/** What a type's text depends on besides the schema. */
export interface Writing {
  /** The type that stands for a schema of the document, by the schema's name. */
  readonly types: ReadonlyMap<string, string>
  /**
   * What is sent knows all values of an enumeration and is left as it is; what is answered may hold
   * newer values than the document, and belongs to the caller.
   */
  readonly isSent: boolean
}

/** The declaration of a schema as a type of that name. */
export function declaration(name: string, schema: Schema, writing: Writing): string {
  const head = comment(facts(schema), 0, tags(schema))
  if (isRecord(schema)) return `${head}export interface ${name} ${recordType(schema, writing, 0)}\n`
  const start = `export type ${name} = `
  return `${head}${start}${typeOf(schema, writing, 0, start.length)}\n`
}

/** The members of an interface, a line or more each. `indent` is the number of blanks before them. */
export function members(properties: SchemaMap, writing: Writing, indent: number): string {
  return Object.entries(properties)
    .map(([name, schema]) => {
      const isOptional = !(writing.isSent && schema.required)
      const start = `${schema.readOnly ? 'readonly ' : ''}${key(name)}${isOptional ? '?' : ''}: `
      const type = typeOf(schema, writing, indent, start.length)
      return `${comment(facts(schema), indent, tags(schema))}${start}${type}\n`
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
    case 'string':
      return textType(schema, writing, indent + behind)
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
  const element = typeOf(schema, writing, indent, behind + readonly.length)
  if (!isUnion(schema)) return `${readonly}${element}[]`
  return element.startsWith('\n')
    ? `${readonly}(${indented(element)}\n)[]`
    : `${readonly}(${element})[]`
}

/** A number of 64 bits, bytes and dates are text on the wire, and stay so. */
function textType({enum: values}: Schema, {isSent}: Writing, before: number): string {
  if (!values?.length) return 'string'
  const known = [...new Set(values)].map(literal)
  return alternatives(isSent ? known : [...known, '(string & {})'], before)
}

function isUnion({type, enum: values, repeated, $ref, items}: Schema): boolean {
  return type === 'string' && !repeated && $ref === undefined && !items && (values?.length ?? 0) > 0
}

function isRecord({$ref, type, items, properties, additionalProperties}: Schema): boolean {
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
    return `{\n  [name: string]: ${indented(type).replace(/^ +/, '')}\n}`
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
