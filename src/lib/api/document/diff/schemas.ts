import {isAbove, isFormat} from '#lib/api/document/formats.js'
import type {Schema} from '#lib/api/types.js'
import {
  compareFields,
  flag,
  members,
  type Pair,
  type Rule,
  type Rules,
  tell,
  tellValues,
  value,
  without,
  wordFor,
  words,
} from './rules.js'

/** Schemas, properties and parameters, with all that lies in them; references are not followed. */

export function schema(pair: Pair<Schema>): void {
  const {one, other, way} = pair
  // What a request says of a read-only field is ignored before and after.
  const isIgnored = one.readOnly === true && other.readOnly === true
  compareFields(FIELDS, isIgnored ? {...pair, way: {...way, isSent: false}} : pair)
}

/** `required` of a property is in its annotations. */
const FIELDS: Rules<Schema> = {
  type: kind,
  enum: enumValues,
  enumDeprecated: deprecatedValues,
  minimum: bound((before, after) => isAbove(after, before)),
  maximum: bound((before, after) => isAbove(before, after)),
  pattern: value(({other, way}) => way.isSent && other !== undefined),
  default: value(false),
  location: value(true),
  required: pair => flag(pair.way.isSent ? true : undefined)(pair),
  repeated: flag(false),
  // It matters where it is new; otherwise answers have the field either way.
  readOnly: pair => (pair.way.isSent && pair.other === true ? flag() : words)(pair),
  deprecated: flag(),
  annotations: requiring,
  description: words,
  enumDescriptions: words,
  properties: members<Schema>({
    gone: () => 'The field is gone.',
    come(property, {inBoth}) {
      const by = inBoth(property.annotations?.required, 'other')
      const demand = by.length > 0 ? `, and required by ${by.join(', ')}` : ''
      return [`The field is new: ${wordFor(kindWord(property))}${demand}.`, by.length > 0]
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
    else if (one) tell(pair, 'removed', true, 'There are no fields of any name any more.')
    else if (other) tell(pair, 'added', false, 'There may be fields of any name.')
  },
}

/** Type, format and reference are told of together, in the place of what differs. */
function kind(_: unknown, {place, ...pair}: Pair<Schema>): void {
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

function enumValues(pair: Pair<readonly string[] | undefined>): void {
  const {one, other, way} = pair
  if (one && other) {
    tellValues(pair, 'removed', way.isSent, 'No value any more:', without(one, other))
    tellValues(pair, 'added', false, 'New as a value:', without(other, one))
  } else if (other) {
    tell(pair, 'added', way.isSent, `Only these are values now: ${other.join(', ')}.`)
  } else if (one) {
    tell(pair, 'removed', false, `Any value is one now, not only ${one.join(', ')}.`)
  }
}

function deprecatedValues(pair: Pair<unknown>, {one, other}: Pair<Schema>): void {
  const [old, now] = [one, other].map(({enum: values = [], enumDeprecated = []}) =>
    values.filter((_, index) => enumDeprecated[index] === true),
  ) as [string[], string[]]
  const still = new Set(other.enum)
  const gone = without(old, now).filter(known => still.has(known))
  tellValues(pair, 'changed', false, 'Deprecated now:', without(now, old))
  tellValues(pair, 'changed', false, 'Not deprecated any more:', gone)
}

function bound(isNarrower: (before: string, after: string) => boolean): Rule<string | undefined> {
  return value(
    ({one, other, way}) =>
      way.isSent && other !== undefined && (one === undefined || isNarrower(one, other)),
  )
}

/** Which methods ask for a property; one that is new can ask for what it likes. */
function requiring({one, other, found, ...pair}: Pair<Schema['annotations']>): void {
  const at = {...pair, place: `${pair.place}.required`, one, other, found}
  const [old, now] = [found.inBoth(one?.required, 'one'), found.inBoth(other?.required, 'other')]
  tellValues(at, 'added', true, 'It is required now by', without(now, old))
  tellValues(at, 'removed', false, 'It is not required any more by', without(old, now))
}

type Kind = Pick<Schema, 'type' | 'format'>

/** What else the values of a format fit into, within one type. */
const WIDER: Readonly<Record<string, readonly string[]>> = {
  int32: ['int64'],
  uint32: ['int64', 'uint64'],
  float: ['double'],
  'google-datetime': ['date-time'],
}

/**
 * Whether all values of the one are values of the other, and are written alike in JSON: an int64 is
 * text there, and an int32 is none. In an address all is text, so that it need not be told apart.
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

/** A schema's type in words: `File`, `string (date-time)`. */
function kindWord({$ref, type = 'any', format}: Schema): string {
  return $ref ?? (format === undefined ? type : `${type} (${format})`)
}
