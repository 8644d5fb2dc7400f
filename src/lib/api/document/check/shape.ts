import {isBelowRoot} from '#lib/api/document/fault.js'
import {isObject, shown} from '#lib/platform/values.js'

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

/** What a check finds, and where it stands while it looks. */

/** What the names in a part of a document can mean. */
export interface Facts {
  /** The root address and the service's path below it, as far as the document has them. */
  readonly rootUrl: string
  readonly servicePath: string
  readonly schemas: ReadonlySet<string>
  readonly scopes: ReadonlySet<string>
  /** By its place, the id that follows from a method's place in the tree, where the API has a name. */
  readonly treeIds: ReadonlyMap<string, string>
  /** The first place of every method id. */
  readonly methods: ReadonlyMap<string, string>
}

/** Something that a document has against it. */
export interface Finding {
  /** The names that lead there: `resources.files.methods.list.parameters.q.type`; '' is all of it. */
  readonly place: string
  /** The short name of the rule, for programs; stays as it is. */
  readonly rule: string
  /** A whole sentence. */
  readonly text: string
  /** Breaks the format; else it is something that readers have to bear. */
  readonly isBreach: boolean
}

/** A place in a document that is being checked. */
export interface Spot {
  readonly place: string
  /** The last name of the place. */
  readonly key: string
  /** What is known of the document as a whole. */
  readonly facts: Facts
  /** Takes what is found. */
  readonly findings: Finding[]
}

/** The place of a member. */
export function below(spot: Spot, key: string): Spot {
  return {...spot, place: placeBelow(spot.place, key), key}
}

/** The place of an element of a list. */
export function element(spot: Spot, index: number): Spot {
  return {...spot, place: `${spot.place}[${index}]`}
}

/** Tells of a path below the root address that leads out of it, to where something else may be. */
export function checkBelowRoot(spot: Spot, path: string): void {
  if (isBelowRoot(spot.facts.rootUrl, path)) return
  breach(spot, 'path-below-root', `This leads out of the root address: ${shown(path)}.`)
}

export function breach({place, findings}: Spot, rule: string, text: string): void {
  findings.push({place, rule, text, isBreach: true})
}

export function remark({place, findings}: Spot, rule: string, text: string): void {
  findings.push({place, rule, text, isBreach: false})
}

/** Reading of what may have the wrong shape; that it has is told elsewhere. */

export type Members = Readonly<Record<string, unknown>>

/** The text, or nothing where it is none. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The members, or none where it is no object. */
export function membersIn(value: unknown): Members {
  return isObject(value) ? value : {}
}

/** The texts of a list; what else is in it is left out. */
export function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(item => typeof item === 'string') : []
}

/** The place of a member: its name behind the place it is in. */
export function placeBelow(place: string, key: string): string {
  return place === '' ? key : `${place}.${key}`
}
