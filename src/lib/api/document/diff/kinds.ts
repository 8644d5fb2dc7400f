import {isFormat} from '#lib/api/document/formats.js'
import type {Schema} from '#lib/api/types.js'

/** Which values the types and formats of schemas allow, seen against each other. */

export type Kind = Pick<Schema, 'type' | 'format'>

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
export function isWithin(one: Kind, other: Kind, isParameter = false): boolean {
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
export function kindWord({$ref, type = 'any', format}: Schema): string {
  return $ref ?? (format === undefined ? type : `${type} (${format})`)
}
