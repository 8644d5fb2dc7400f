import {isAbove, isFormat} from '#lib/api/document/formats.js'
import type {Schema} from '#lib/api/types.js'
import {
  type Compared,
  compareFields,
  type FieldRules,
  flagRule,
  memberRules,
  reportChange,
  reportValues,
  type Rule,
  textRule,
  value,
  valueText,
  withoutKeys,
} from './rules.js'

/** Compares schemas, properties and parameters with all they contain; does not follow references. */

export function schema(pair: Compared<Schema>): void {
  const {one, other, way} = pair
  // The service ignores read-only fields in requests.
  const isIgnored = one.readOnly === true && other.readOnly === true
  compareFields(FIELDS, isIgnored ? {...pair, way: {...way, isSent: false}} : pair)
}

/** Whether a property is required is in its annotations. */
const FIELDS: FieldRules<Schema> = {
  type: kind,
  enum: enumValues,
  enumDeprecated: deprecatedValues,
  minimum: bound((before, after) => isAbove(after, before)),
  maximum: bound((before, after) => isAbove(before, after)),
  pattern: value(({other, way}) => way.isSent && other !== undefined),
  default: value(false),
  location: value(true),
  required: pair => flagRule(pair.way.isSent ? true : undefined)(pair),
  repeated: flagRule(false),
  // Only matters where it is new in requests; responses have the field either way.
  readOnly: pair => (pair.way.isSent && pair.other === true ? flagRule() : textRule)(pair),
  deprecated: flagRule(),
  annotations: requiring,
  description: textRule,
  enumDescriptions: textRule,
  properties: memberRules<Schema>({
    gone: () => 'Removed the field.',
    come(property, {inBoth}) {
      const by = inBoth(property.annotations?.required, 'other')
      const demand = by.length > 0 ? `, required by ${by.join(', ')}` : ''
      return [`Added the field: ${valueText(kindWord(property))}${demand}.`, by.length > 0]
    },
    kept: schema,
  }),
  items(pair) {
    const {one, other} = pair
    if (one || other) schema({...pair, one: one ?? {}, other: other ?? {}})
  },
  additionalProperties(pair) {
    const {one, other} = pair
    if (one && other) schema({...pair, one, other})
    else if (one)
      reportChange(pair, 'removed', true, 'Fields with other names are no longer allowed.')
    else if (other) reportChange(pair, 'added', false, 'Fields with other names are allowed now.')
  },
}

/** Compares type, format and reference together, and records one change. */
function kind(_: unknown, {place, ...pair}: Compared<Schema>): void {
  const {one, other, way} = pair
  const [before, after] = [kindWord(one), kindWord(other)]
  if (before === after) return
  const isOther = one.$ref !== other.$ref
  const breaks =
    isOther ||
    (way.isSent && !isWithin(one, other, way.isParameter)) ||
    (way.isAnswered && !isWithin(other, one, way.isParameter))
  const name = isOther ? '$ref' : one.type === other.type ? 'format' : 'type'
  const named = {...pair, place: `${place}.${name}`, one: before, other: after}
  value<string>(breaks)(named)
}

function enumValues(pair: Compared<readonly string[] | undefined>): void {
  const {one, other, way} = pair
  if (one && other) {
    reportValues(pair, 'removed', way.isSent, 'Removed values:', withoutKeys(one, other))
    reportValues(pair, 'added', false, 'Added values:', withoutKeys(other, one))
  } else if (other) {
    reportChange(pair, 'added', way.isSent, `Limited to these values: ${other.join(', ')}.`)
  } else if (one) {
    reportChange(pair, 'removed', false, `No longer limited to ${one.join(', ')}.`)
  }
}

function deprecatedValues(pair: Compared<unknown>, {one, other}: Compared<Schema>): void {
  const [old, now] = [one, other].map(({enum: values = [], enumDeprecated = []}) =>
    values.filter((_, index) => enumDeprecated[index] === true),
  ) as [string[], string[]]
  const still = new Set(other.enum)
  const gone = withoutKeys(old, now).filter(known => still.has(known))
  reportValues(pair, 'changed', false, 'Now deprecated:', withoutKeys(now, old))
  reportValues(pair, 'changed', false, 'No longer deprecated:', gone)
}

function bound(isNarrower: (before: string, after: string) => boolean): Rule<string | undefined> {
  return value(
    ({one, other, way}) =>
      way.isSent && other !== undefined && (one === undefined || isNarrower(one, other)),
  )
}

/** Compares which methods require a property; methods that are new do not count. */
function requiring({one, other, found, ...pair}: Compared<Schema['annotations']>): void {
  const at = {...pair, place: `${pair.place}.required`, one, other, found}
  const [old, now] = [found.inBoth(one?.required, 'one'), found.inBoth(other?.required, 'other')]
  reportValues(at, 'added', true, 'Now required by', withoutKeys(now, old))
  reportValues(at, 'removed', false, 'No longer required by', withoutKeys(old, now))
}

type Kind = Pick<Schema, 'type' | 'format'>

/** For each format, the wider formats of the same type. */
const WIDER: Readonly<Record<string, readonly string[]>> = {
  int32: ['int64'],
  uint32: ['int64', 'uint64'],
  float: ['double'],
  'google-datetime': ['date-time'],
}

/**
 * Whether all values of one type are values of the other, in the same JSON form: an int64 is a string in
 * JSON, an int32 is a number. In a URL all values are text, so the form does not matter.
 */
function isWithin(one: Kind, other: Kind, isParameter = false): boolean {
  const [inner, outer] = isParameter ? [inAddress(one), inAddress(other)] : [one, other]
  const {type = 'any'} = outer
  if (type === 'any') return true
  const isPlain = !isFormat(outer.format)
  if (isParameter && type === 'string' && isPlain) return true
  if (inner.type !== type) return inner.type === 'integer' && type === 'number'
  if (isPlain || inner.format === outer.format) return true
  return isFormat(inner.format) && (WIDER[inner.format]?.includes(outer.format) ?? false)
}

function inAddress({type, format}: Kind): Kind {
  return format === 'int64' || format === 'uint64' ? {type: 'integer', format} : {type, format}
}

/** A schema's type as text: `File`, `string (date-time)`. */
function kindWord({$ref, type = 'any', format}: Schema): string {
  return $ref ?? (format === undefined ? type : `${type} (${format})`)
}
