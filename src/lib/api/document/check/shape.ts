import {isObject, shown} from '#lib/api/validate.js'
import {below, breach, element, remark, type Spot} from './spot.js'
import type {Members} from './values.js'

/** Which JSON may stand at a place: small checks that are put together to a table of fields. */

/** Tells what is wrong with a value at its place. */
export type Shape = (value: unknown, spot: Spot) => void

/** Text, of which `rule` tells more. */
export function textThat(rule: (value: string, spot: Spot) => void): Shape {
  return (value, spot) =>
    typeof value === 'string' ? rule(value, spot) : mistyped(spot, 'text', value)
}

export const text = textThat(() => {})

export const flag: Shape = (value, spot) => {
  if (typeof value !== 'boolean') mistyped(spot, 'true or false', value)
}

/** One of some texts. */
export function oneOf(...allowed: readonly string[]): Shape {
  return textThat((value, spot) => {
    if (allowed.includes(value)) return
    const words = allowed.length > 1 ? `one of ${allowed.join(', ')}` : allowed.join()
    breach(spot, 'allowed-value', `This must be ${words}, not ${shown(value)}.`)
  })
}

export function list(each: Shape): Shape {
  return (value, spot) => {
    if (!Array.isArray(value)) return mistyped(spot, 'a list', value)
    for (const [index, inner] of value.entries()) each(inner, element(spot, index))
  }
}

export function map(each: Shape): Shape {
  return (value, spot) => {
    if (!isObject(value)) return mistyped(spot, 'an object', value)
    for (const [key, inner] of Object.entries(value)) each(inner, below(spot, key))
  }
}

interface Demands {
  /** Without these fields nobody can do anything with it. */
  readonly needed?: readonly string[]
  /** Readers do without these, but know less then. */
  readonly expected?: readonly string[]
  /** What binds the fields to each other; fields may still have the wrong type. */
  readonly rules?: ReadonlyArray<(members: Members, spot: Spot) => void>
}

/** An object with some fields; others are remarked on. */
export function object(
  fields: Readonly<Record<string, Shape>>,
  {needed = [], expected = [], rules = []}: Demands = {},
): Shape {
  return (value, spot) => {
    if (!isObject(value)) return mistyped(spot, 'an object', value)
    const isAbsent = (name: string) => !Object.hasOwn(value, name) || value[name] === undefined
    for (const [name, check] of Object.entries(fields)) {
      if (!isAbsent(name)) check(value[name], below(spot, name))
      else if (needed.includes(name)) breach(below(spot, name), 'needed', 'This is missing.')
      else if (expected.includes(name)) {
        remark(below(spot, name), 'absent', 'This is left out; readers take it for empty.')
      }
    }
    for (const name of Object.keys(value)) {
      if (Object.hasOwn(fields, name)) continue
      remark(below(spot, name), 'unknown-key', 'The format has no such field; readers ignore it.')
    }
    for (const rule of rules) rule(value, spot)
  }
}

function mistyped(spot: Spot, words: string, value: unknown): void {
  breach(spot, 'type', `This must be ${words}, not ${wordFor(value)}.`)
}

function wordFor(value: unknown): string {
  if (typeof value === 'string') return shown(value)
  if (Array.isArray(value)) return 'a list'
  return isObject(value) ? 'an object' : String(value)
}
