import {isObject, own, shown} from '#lib/platform/values.js'
import {isRequired, type Operation, requestSchema, resolve} from './operations.js'
import type {Schema, SchemaMap} from './types.js'

export {isObject, shown}

/**
 * Values against the description. The client asks before it sends, the service before it acts:
 * the same function, so they never disagree. All sentences are fragments that fit behind a name.
 */

/** A value that the description does not allow. `at` is a parameter's name or a path in the body. */
export interface Problem {
  readonly at: string
  readonly rule: 'required' | 'type' | 'enum' | 'range' | 'pattern' | 'unknown'
  /** Behind the name: `must be a whole number, not "ten"`. */
  readonly text: string
}

export type Scalar = string | number | boolean

/** Whether a pattern, in the dialect of Java, matches a whole text; `true` also where nobody can say. */
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
 * Why a text does not fit a parameter's schema, or `undefined` when it does (types of description-format.md,
 * section 3). A schema of somebody else takes a `matches` that ends on time.
 */
export function parameterProblem(
  name: string,
  schema: Schema,
  text: string,
  matches: MatchPattern = matchesAtOnce,
): Problem | undefined {
  const problem = (rule: Problem['rule'], words: string): Problem => ({at: name, rule, text: words})
  // The database would end the text there.
  if (text.includes('\0')) return problem('type', 'must not have the character U+0000')
  if (schema.type === 'boolean' && text !== 'true' && text !== 'false') {
    return problem('type', `must be true or false, not ${shown(text)}`)
  }
  if (schema.type === 'integer' || schema.format === 'int64' || schema.format === 'uint64') {
    if (!/^[+-]?\d+$/.test(text))
      return problem('type', `must be a whole number, not ${shown(text)}`)
    const range = rangeProblem(schema, BigInt(text))
    if (range) return problem('range', range)
  }
  if (schema.type === 'number' && (text.trim() === '' || Number.isNaN(Number(text)))) {
    return problem('type', `must be a number, not ${shown(text)}`)
  }
  const format = formatProblem(schema, text)
  if (format) return problem('type', format)
  if (schema.enum && !schema.enum.includes(text)) {
    return problem('enum', `must be one of ${schema.enum.join(', ')}, not ${shown(text)}`)
  }
  if (schema.pattern && !matches(schema.pattern, text)) {
    return problem('pattern', `must look like ${schema.pattern}, not ${shown(text)}`)
  }
  return undefined
}

/** A text that fits its schema as a value: booleans and 32-bit numbers as such, 64-bit ones stay text. */
export function parameterValue(schema: Schema, text: string): Scalar {
  if (schema.type === 'boolean') return text === 'true'
  if (schema.type === 'integer' || schema.type === 'number') return Number(text)
  return text
}

/**
 * All problems of a request body. Unknown and read-only fields are no problem here: the service
 * ignores them (reference: resources.md, Encoding rules). `null` clears a field, so it fits any,
 * but it is no member of a list. A description of somebody else takes a `matches` that ends on time.
 */
export function bodyProblems(
  operation: Operation,
  body: unknown,
  matches: MatchPattern = matchesAtOnce,
): Problem[] {
  const schema = requestSchema(operation)
  if (!schema) return []
  const problems = valueProblems('', schema, body, {schemas: operation.document.schemas, matches})
  const record = isObject(body) ? body : {}
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (isRequired(operation, property) && (own(record, name) ?? null) === null) {
      problems.push({at: name, rule: 'required', text: 'is required'})
    }
  }
  return problems
}

interface Checking {
  readonly schemas: SchemaMap
  readonly matches: MatchPattern
}

function valueProblems(at: string, schema: Schema, value: unknown, checking: Checking): Problem[] {
  if (value === null || value === undefined) return []
  const {type, items, properties, additionalProperties, format} = resolve(schema, checking.schemas)
  const wrong = (text: string): Problem[] => [{at, rule: 'type', text}]
  switch (type) {
    case 'object': {
      if (!isObject(value)) return wrong('must be an object')
      return Object.entries(value).flatMap(([name, inner]) => {
        const property =
          properties && Object.hasOwn(properties, name) ? properties[name] : additionalProperties
        return property && !property.readOnly
          ? valueProblems(at ? `${at}.${name}` : name, property, inner, checking)
          : []
      })
    }
    case 'array':
      if (!Array.isArray(value)) return wrong('must be a list')
      return value.flatMap((inner, index): Problem[] =>
        inner === null
          ? [{at: `${at}[${index}]`, rule: 'type', text: 'must not be null'}]
          : valueProblems(`${at}[${index}]`, items ?? {}, inner, checking),
      )
    case 'boolean':
      return typeof value === 'boolean' ? [] : wrong('must be true or false')
    case 'integer':
    case 'number': {
      if (typeof value !== 'number' || (type === 'integer' && !Number.isInteger(value))) {
        return wrong(type === 'integer' ? 'must be a whole number' : 'must be a number')
      }
      return []
    }
    case 'string': {
      const is64 = format === 'int64' || format === 'uint64'
      if (is64 && typeof value === 'number' && Number.isInteger(value)) return []
      if (typeof value !== 'string') return wrong('must be text')
      const problem = parameterProblem(at, schema, value, checking.matches)
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
  if (maximum === undefined && value < least) return `must be ${least} or more, not ${value}`
  return `must be between ${least} and ${most}, not ${value}`
}

function formatProblem({format}: Schema, text: string): string | undefined {
  const isTime = () => RFC3339.test(text) && !Number.isNaN(Date.parse(text))
  if (format === 'date-time' && !(isTime() && isDay(text.slice(0, 10)))) {
    return `must be a time such as 2026-11-21T09:30:00Z, not ${shown(text)}`
  }
  if (format === 'date' && !isDay(text)) {
    return `must be a date such as 2026-11-21, not ${shown(text)}`
  }
  if (format === 'byte' && !/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) return 'must be base64'
  return undefined
}

/** Whether the calendar has this day: `Date` takes the 30th of February for one in March. */
function isDay(text: string): boolean {
  const midnight = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString() === `${text}T00:00:00.000Z`
}

/** For patterns of drv's own; one that is none here fits any. */
function matchesAtOnce(pattern: string, text: string): boolean {
  try {
    return new RegExp(`^(?:${pattern})$`).test(text)
  } catch {
    return true
  }
}

/** A text that is not empty; `undefined` for anything else. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/**
 * Values that the description tells in words only, by the parameter or the field that has them; the
 * fields of a record with its name in front.
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

/** Parameters whose value is a list with commas; each key of an order may have ` desc` behind it. */
const LISTS = new Set(['orderBy', 'spaces'])

/** A value that is none of those that are known, with all that are. */
export interface UnknownValue {
  readonly value: string
  readonly known: readonly string[]
}

/** The first value under a name that is not known; nothing where any may be right. */
export function unknownValue(name: string, given: unknown): UnknownValue | undefined {
  if (!Object.hasOwn(knownValues, name)) return undefined
  const known: readonly string[] = knownValues[name as keyof typeof knownValues]
  const texts = [given].flat().filter(value => typeof value === 'string')
  const values = LISTS.has(name)
    ? texts.flatMap(text => text.split(',').map(part => part.trim()))
    : texts
  const plain = name === 'orderBy' ? values.map(value => value.replace(/ +desc$/i, '')) : values
  const value = plain.find(text => !known.includes(text))
  return value === undefined ? undefined : {value, known}
}
