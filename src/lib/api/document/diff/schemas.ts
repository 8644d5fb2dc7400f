import {isAbove} from '#lib/api/document/formats.js'
import type {Schema} from '#lib/api/types.js'
import {
  compareFlag,
  compareMaps,
  compareTexts,
  compareValue,
  type Comparison,
  tell,
  type Way,
  without,
  wordFor,
} from './changes.js'
import {isWithin, kindWord} from './kinds.js'

/** Schemas, properties and parameters, with all that lies in them; references are not followed. */

/** Everything but whether a parameter has to be given: `required` of a property is in its annotations. */
export function compareSchemas(
  one: Schema,
  other: Schema,
  place: string,
  way: Way,
  found: Comparison,
): void {
  // What a request says of a read-only field is ignored before and after.
  const isIgnored = one.readOnly === true && other.readOnly === true
  const use = isIgnored ? {...way, isSent: false} : way
  compareKinds(one, other, place, use, found)
  compareEnums(one, other, place, use, found)
  compareBounds(one, other, place, use, found)
  const {isSent} = use
  const at = (name: string) => `${place}.${name}`
  const both = <K extends keyof Schema>(name: K) => [one[name], other[name]] as const
  compareValue(found, at('pattern'), both('pattern'), isSent && other.pattern !== undefined)
  compareValue(found, at('default'), both('default'), false)
  compareValue(found, at('location'), both('location'), true)
  compareFlag(found, at('required'), both('required'), isSent ? true : undefined)
  compareFlag(found, at('repeated'), both('repeated'), false)
  const isNowIgnored = isSent && other.readOnly === true
  // Otherwise it is no more than a word to people: answers have it either way.
  if (isNowIgnored) compareFlag(found, at('readOnly'), both('readOnly'))
  else compareTexts(found, place, one, other, ['readOnly'])
  compareFlag(found, at('deprecated'), both('deprecated'))
  compareRequiring(one, other, place, found)
  compareTexts(found, place, one, other, ['description', 'enumDescriptions'])
  compareMaps(one.properties, other.properties, {
    removed: name => tell(found, 'removed', true, at(`properties.${name}`), 'The field is gone.'),
    added: (name, value) => addedProperty(value, at(`properties.${name}`), found),
    kept: (name, before, after) =>
      compareSchemas(before, after, at(`properties.${name}`), use, found),
  })
  if (one.items || other.items) {
    compareSchemas(one.items ?? {}, other.items ?? {}, at('items'), use, found)
  }
  const more = at('additionalProperties')
  const [before, after] = both('additionalProperties')
  if (before && after) compareSchemas(before, after, more, use, found)
  else if (before) tell(found, 'removed', true, more, 'There are no fields of any name any more.')
  else if (after) tell(found, 'added', false, more, 'There may be fields of any name.')
}

function compareKinds(
  one: Schema,
  other: Schema,
  place: string,
  {isSent, isAnswered, isParameter}: Way,
  found: Comparison,
): void {
  const words = [kindWord(one), kindWord(other)] as const
  if (words[0] === words[1]) return
  const isOther = one.$ref !== other.$ref
  const breaks =
    isOther ||
    (isSent && !isWithin(one, other, isParameter)) ||
    (isAnswered && !isWithin(other, one, isParameter))
  const name = isOther ? '$ref' : one.type === other.type ? 'format' : 'type'
  compareValue(found, `${place}.${name}`, words, breaks)
}

function compareEnums(
  one: Schema,
  other: Schema,
  place: string,
  way: Way,
  found: Comparison,
): void {
  const at = `${place}.enum`
  const [before, after] = [one.enum, other.enum]
  if (before && after) {
    const gone = without(before, after)
    const come = without(after, before)
    if (gone.length > 0) {
      tell(found, 'removed', way.isSent, at, `No value any more: ${gone.join(', ')}.`)
    }
    if (come.length > 0) tell(found, 'added', false, at, `New as a value: ${come.join(', ')}.`)
  } else if (after) {
    tell(found, 'added', way.isSent, at, `Only these are values now: ${after.join(', ')}.`)
  } else if (before) {
    tell(found, 'removed', false, at, `Any value is one now, not only ${before.join(', ')}.`)
  }
  const [old, deprecated] = [deprecatedValues(one), deprecatedValues(other)]
  const come = without(deprecated, old)
  const still = new Set(after)
  const gone = without(old, deprecated).filter(value => still.has(value))
  const words = `${place}.enumDeprecated`
  if (come.length > 0) tell(found, 'changed', false, words, `Deprecated now: ${come.join(', ')}.`)
  if (gone.length > 0)
    tell(found, 'changed', false, words, `Not deprecated any more: ${gone.join(', ')}.`)
}

function deprecatedValues({enum: values = [], enumDeprecated = []}: Schema): string[] {
  return values.filter((_, index) => enumDeprecated[index] === true)
}

function compareBounds(
  one: Schema,
  other: Schema,
  place: string,
  way: Way,
  found: Comparison,
): void {
  const isNarrower = {
    minimum: (before: string, after: string) => isAbove(after, before),
    maximum: (before: string, after: string) => isAbove(before, after),
  }
  for (const name of ['minimum', 'maximum'] as const) {
    const [before, after] = [one[name], other[name]]
    const breaks = after !== undefined && (before === undefined || isNarrower[name](before, after))
    compareValue(found, `${place}.${name}`, [before, after], way.isSent && breaks)
  }
}

/** Which methods ask for a property; one that is new can ask for what it likes. */
function compareRequiring(one: Schema, other: Schema, place: string, found: Comparison): void {
  const old = (one.annotations?.required ?? []).map(found.oldKey)
  const now = (other.annotations?.required ?? []).map(found.newKey)
  const at = `${place}.annotations.required`
  const come = without(now, old).filter(found.isInBoth)
  const gone = without(old, now).filter(found.isInBoth)
  if (come.length > 0) tell(found, 'added', true, at, `It is required now by ${come.join(', ')}.`)
  if (gone.length > 0) {
    tell(found, 'removed', false, at, `It is not required any more by ${gone.join(', ')}.`)
  }
}

function addedProperty(value: Schema, place: string, found: Comparison): void {
  const requiring = (value.annotations?.required ?? []).map(found.newKey).filter(found.isInBoth)
  const words = requiring.length > 0 ? `, and required by ${requiring.join(', ')}` : ''
  tell(
    found,
    'added',
    words !== '',
    place,
    `The field is new: ${wordFor(kindWord(value))}${words}.`,
  )
}
