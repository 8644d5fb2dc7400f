import {isObject, joinWithOr, quoteText} from '#lib/platform/values.js'
import {seedSchema} from './schema.js'
import type {SeedSchema} from './schema-parts.js'

/** The position of a value in a seed. */
export type SeedPath = ReadonlyArray<string | number>

/** An invalid value of a seed. The message follows the field in a sentence. */
export class SeedProblem extends Error {
  constructor(
    readonly path: SeedPath,
    message: string,
  ) {
    super(message)
  }
}

const NAMES: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
}

/** Throws `SeedProblem` for the first value that does not match the schema. */
export function validateSeed(value: unknown): void {
  check(value, seedSchema, [])
}

function check(value: unknown, given: SeedSchema, path: SeedPath): void {
  const schema = given.$ref ? seedSchema.$defs[given.$ref.slice('#/$defs/'.length)]! : given
  const fail = (message: string, at = path): never => {
    throw new SeedProblem(at, message)
  }
  const types = [schema.type ?? []].flat()
  if (!types.includes(typeOf(value) as 'object')) {
    const expected = types.flatMap(type => NAMES[type] ?? []).join(' or ')
    const hint = types.join() === 'string' && isPlain(value) ? '; put it in quotes' : ''
    fail(`must be ${expected}, not ${shown(value)}${hint}`)
  }
  if (typeof value === 'string') checkText(value, schema, fail)
  if (typeof value === 'number' && schema.minimum !== undefined && value < schema.minimum) {
    fail(`must be at least ${schema.minimum}, not ${value}`)
  }
  if (Array.isArray(value)) {
    value.forEach((item, index) => check(item, schema.items!, [...path, index]))
  }
  if (!isObject(value)) return
  for (const [name, field] of Object.entries(value)) {
    // Fields of objects may be missing: they are `undefined`.
    if (field === undefined) continue
    const known =
      schema.properties && Object.hasOwn(schema.properties, name)
        ? schema.properties[name]
        : schema.additionalProperties
    if (known === false) {
      fail(`is unknown${suggestion(name, schema)}`, [...path, name])
    }
    if (isObject(known)) check(field, known, [...path, name])
  }
  const missing = schema.required?.find(name => value[name] === undefined)
  if (missing !== undefined) fail('is missing', [...path, missing])
}

function checkText(value: string, schema: SeedSchema, fail: (message: string) => never): void {
  // SQLite would truncate the text there.
  const isContent = schema.description?.startsWith('Content as text')
  if (value.includes('\0') && !isContent) fail('must not contain the character U+0000')
  if (schema.enum && !schema.enum.includes(value)) {
    fail(`must be ${joinWithOr(schema.enum)}, not ${quoteText(value)}`)
  }
  if (schema.pattern && !new RegExp(schema.pattern, 's').test(value)) {
    fail(`is not valid: ${quoteText(value)}. Expected: ${schema.description}`)
  }
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (Number.isSafeInteger(value)) return 'integer'
  return value === null ? 'null' : typeof value
}

const isPlain = (value: unknown) => typeof value === 'number' || typeof value === 'boolean'

function shown(value: unknown): string {
  if (value === null) return 'empty'
  if (isPlain(value)) return String(value)
  return typeof value === 'string' ? quoteText(value) : NAMES[typeOf(value)]!
}

/** Names the known field that differs only in case. */
function suggestion(name: string, {properties = {}}: SeedSchema): string {
  const known = Object.keys(properties)
  const same = known.find(each => each.toLowerCase() === name.toLowerCase())
  return same === undefined ? `; known fields: ${known.join(', ')}` : `; use ${same}`
}
