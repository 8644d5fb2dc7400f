import {isObject, joinWithOr, ownProperty, quoteText} from '#lib/platform/values.js'
import {isRequired, type Operation, requestSchema, resolve} from './operations.js'
import type {Schema, SchemaMap} from './types.js'

export {isObject, quoteText}

/**
 * Validation against the description, shared by the client (before sending) and the service, so that
 * they never disagree. All messages are fragments that follow a name in a sentence.
 */

/** An invalid value. `at` is a parameter's name or a path in the body. */
export interface Problem {
  readonly at: string
  readonly rule: 'required' | 'type' | 'enum' | 'range' | 'pattern' | 'unknown'
  /** Follows the name: `must be an integer, not "ten"`. */
  readonly text: string
}

export type Scalar = string | number | boolean

/** Whether a pattern in Java syntax matches a whole text; also `true` if that cannot be determined. */
export type MatchPattern = (pattern: string, text: string) => boolean

const INTEGER_BOUNDS: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
}

const RFC3339 =
  /^\d{4}-(0\d|1[0-2])-([0-2]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/

/**
 * Why `text` is invalid for a parameter's schema; `undefined` if it is valid (reference: description-format.md,
 * section 3). For patterns from other services, pass a `matches` with a time limit.
 */
export function parameterProblem(
  name: string,
  schema: Schema,
  text: string,
  matches: MatchPattern = matchesOwnPattern,
): Problem | undefined {
  const problem = (rule: Problem['rule'], text: string): Problem => ({at: name, rule, text})
  // SQLite would truncate the text there.
  if (text.includes('\0')) return problem('type', 'must not contain the character U+0000')
  if (schema.type === 'boolean' && text !== 'true' && text !== 'false') {
    return problem('type', `must be true or false, not ${quoteText(text)}`)
  }
  if (schema.type === 'integer' || schema.format === 'int64' || schema.format === 'uint64') {
    if (!/^[+-]?\d+$/.test(text))
      return problem('type', `must be an integer, not ${quoteText(text)}`)
    const range = rangeProblem(schema, BigInt(text))
    if (range) return problem('range', range)
  }
  if (schema.type === 'number' && (text.trim() === '' || Number.isNaN(Number(text)))) {
    return problem('type', `must be a number, not ${quoteText(text)}`)
  }
  const format = formatProblem(schema, text)
  if (format) return problem('type', format)
  if (schema.enum && !schema.enum.includes(text)) {
    return problem('enum', `must be ${joinWithOr(schema.enum)}, not ${quoteText(text)}`)
  }
  if (schema.pattern && !matches(schema.pattern, text)) {
    return problem(
      'pattern',
      `must match the pattern ${schema.pattern}; ${quoteText(text)} does not`,
    )
  }
  return undefined
}

/** The typed value of a valid text; 64-bit integers stay strings. */
export function parameterValue(schema: Schema, text: string): Scalar {
  if (schema.type === 'boolean') return text === 'true'
  if (schema.type === 'integer' || schema.type === 'number') return Number(text)
  return text
}

/**
 * All problems of a request body. Unknown and read-only fields are accepted because the service
 * ignores them (reference: resources.md, Encoding rules). `null` clears a field, so any field accepts
 * it, but lists do not. For patterns from other services, pass a `matches` with a time limit.
 */
export function bodyProblems(
  operation: Operation,
  body: unknown,
  matches: MatchPattern = matchesOwnPattern,
): Problem[] {
  const schema = requestSchema(operation)
  if (!schema) return []
  const problems = valueProblems('', schema, body, {schemas: operation.document.schemas, matches})
  const record = isObject(body) ? body : {}
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (isRequired(operation, property) && (ownProperty(record, name) ?? null) === null) {
      problems.push({at: name, rule: 'required', text: 'is required'})
    }
  }
  return problems
}

interface CheckOptions {
  readonly schemas: SchemaMap
  readonly matches: MatchPattern
}

function valueProblems(
  at: string,
  schema: Schema,
  value: unknown,
  options: CheckOptions,
): Problem[] {
  if (value === null || value === undefined) return []
  const {type, items, properties, additionalProperties, format} = resolve(schema, options.schemas)
  const wrong = (text: string): Problem[] => [{at, rule: 'type', text}]
  switch (type) {
    case 'object': {
      if (!isObject(value)) return wrong('must be an object')
      return Object.entries(value).flatMap(([name, inner]) => {
        const property =
          properties && Object.hasOwn(properties, name) ? properties[name] : additionalProperties
        return property && !property.readOnly
          ? valueProblems(at ? `${at}.${name}` : name, property, inner, options)
          : []
      })
    }
    case 'array':
      if (!Array.isArray(value)) return wrong('must be a list')
      return value.flatMap((inner, index): Problem[] =>
        inner === null
          ? [{at: `${at}[${index}]`, rule: 'type', text: 'must not be null'}]
          : valueProblems(`${at}[${index}]`, items ?? {}, inner, options),
      )
    case 'boolean':
      return typeof value === 'boolean' ? [] : wrong('must be true or false')
    case 'integer':
    case 'number': {
      if (typeof value !== 'number' || (type === 'integer' && !Number.isInteger(value))) {
        return wrong(type === 'integer' ? 'must be an integer' : 'must be a number')
      }
      return []
    }
    case 'string': {
      const is64 = format === 'int64' || format === 'uint64'
      if (is64 && typeof value === 'number' && Number.isInteger(value)) return []
      if (typeof value !== 'string') return wrong('must be a string')
      const problem = parameterProblem(at, schema, value, options.matches)
      return problem ? [problem] : []
    }
    default:
      return []
  }
}

function rangeProblem({format, minimum, maximum}: Schema, value: bigint): string | undefined {
  const [low, high] = INTEGER_BOUNDS[format ?? 'int64'] ?? INTEGER_BOUNDS.int64!
  const least = minimum === undefined ? low : BigInt(minimum)
  const most = maximum === undefined ? high : BigInt(maximum)
  if (value >= least && value <= most) return undefined
  if (maximum === undefined && value < least) return `must be at least ${least}, not ${value}`
  return `must be between ${least} and ${most}, not ${value}`
}

function formatProblem({format}: Schema, text: string): string | undefined {
  const isTime = () => RFC3339.test(text) && !Number.isNaN(Date.parse(text))
  if (format === 'date-time' && !(isTime() && isDay(text.slice(0, 10)))) {
    return `must be a time such as 2026-11-21T09:30:00Z, not ${quoteText(text)}`
  }
  if (format === 'date' && !isDay(text)) {
    return `must be a date such as 2026-11-21, not ${quoteText(text)}`
  }
  if (format === 'byte' && !/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) return 'must be base64'
  return undefined
}

/** Whether a date exists; `Date` alone would accept February 30 as a day in March. */
function isDay(text: string): boolean {
  const midnight = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString() === `${text}T00:00:00.000Z`
}

/** Matches without a time limit, for patterns of the built-in description; an invalid pattern matches anything. */
function matchesOwnPattern(pattern: string, text: string): boolean {
  try {
    return new RegExp(`^(?:${pattern})$`).test(text)
  } catch {
    return true
  }
}

/** The value if it is a non-empty string; otherwise `undefined`. */
export function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/**
 * Allowed values that the description states only in prose, by parameter or `Schema.field`.
 */
export const knownValues = {
  corpora: ['default', 'domain', 'drive', 'allDrives'],
  includePermissionsForView: ['published'],
  orderBy: [
    'createdDate',
    'folder',
    'lastViewedByMeDate',
    'modifiedByMeDate',
    'modifiedDate',
    'quotaBytesUsed',
    'recency',
    'sharedWithMeDate',
    'starred',
    'title',
    'title_natural',
  ],
  spaces: ['drive', 'appDataFolder', 'photos'],
  'Channel.type': ['web_hook', 'webhook'],
  'Permission.additionalRoles': ['commenter'],
  'Permission.role': ['owner', 'organizer', 'fileOrganizer', 'writer', 'reader'],
  'Permission.type': ['user', 'group', 'domain', 'anyone'],
  'Property.visibility': ['PRIVATE', 'PUBLIC'],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** Parameters with a comma-separated value; each key of `orderBy` can end with ` desc`. */
const COMMA_SEPARATED = new Set(['orderBy', 'spaces'])

/** An unknown value, and the known ones. */
export interface UnknownValue {
  readonly value: string
  readonly known: readonly string[]
}

/** The first unknown value of a parameter or field; `undefined` if all are known, or if any value is allowed. */
export function unknownValue(name: string, input: unknown): UnknownValue | undefined {
  if (!Object.hasOwn(knownValues, name)) return undefined
  const known: readonly string[] = knownValues[name as keyof typeof knownValues]
  const texts = [input].flat().filter(value => typeof value === 'string')
  const values = COMMA_SEPARATED.has(name)
    ? texts.flatMap(text => text.split(',').map(part => part.trim()))
    : texts
  const keys = name === 'orderBy' ? values.map(value => value.replace(/ +desc$/i, '')) : values
  const value = keys.find(text => !known.includes(text))
  return value === undefined ? undefined : {value, known}
}
