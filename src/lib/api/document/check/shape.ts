import {isBelowRoot} from '#lib/api/document/fault.js'
import {isObject, joinWithOr, quoteText} from '#lib/platform/values.js'

/** Small checks for JSON values, combined into tables of fields. */

/** Checks a value and records its findings. */
export type Shape = (value: unknown, spot: CheckedValue) => void

/** A text that `rule` checks further. */
export function textThat(rule: (value: string, spot: CheckedValue) => void): Shape {
  return (value, spot) =>
    typeof value === 'string' ? rule(value, spot) : mistyped(spot, 'a string', value)
}

export const textShape = textThat(() => {})

export const flagShape: Shape = (value, spot) => {
  if (typeof value !== 'boolean') mistyped(spot, 'true or false', value)
}

/** One of several texts. */
export function oneOf(...allowed: readonly string[]): Shape {
  return textThat((value, spot) => {
    if (allowed.includes(value)) return
    reportBreach(spot, 'allowed-value', `Must be ${joinWithOr(allowed)}, not ${quoteText(value)}.`)
  })
}

export function listShape(each: Shape): Shape {
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
  /** Fields whose absence is a breach. */
  readonly needed?: readonly string[]
  /** Fields whose absence is a remark. */
  readonly expected?: readonly string[]
  /** Checks across fields, which may still have the wrong type. */
  readonly rules?: ReadonlyArray<(members: Members, spot: CheckedValue) => void>
}

/** An object with known fields; an unknown field is a remark. */
export function objectShape(
  fields: Readonly<Record<string, Shape>>,
  {needed = [], expected = [], rules = []}: Demands = {},
): Shape {
  return (value, spot) => {
    if (!isObject(value)) return mistyped(spot, 'an object', value)
    const isAbsent = (name: string) => !Object.hasOwn(value, name) || value[name] === undefined
    for (const [name, check] of Object.entries(fields)) {
      if (!isAbsent(name)) check(value[name], below(spot, name))
      else if (needed.includes(name)) reportBreach(below(spot, name), 'needed', 'Missing.')
      else if (expected.includes(name)) {
        reportWarning(below(spot, name), 'absent', 'Missing; clients treat it as empty.')
      }
    }
    for (const name of Object.keys(value)) {
      if (Object.hasOwn(fields, name)) continue
      reportWarning(below(spot, name), 'unknown-key', 'Unknown field; clients ignore it.')
    }
    for (const rule of rules) rule(value, spot)
  }
}

function mistyped(spot: CheckedValue, words: string, value: unknown): void {
  reportBreach(spot, 'type', `Must be ${words}, not ${wordFor(value)}.`)
}

function wordFor(value: unknown): string {
  if (typeof value === 'string') return quoteText(value)
  if (Array.isArray(value)) return 'a list'
  return isObject(value) ? 'an object' : String(value)
}

/** Findings and the place that is being checked. */

/** Facts about the whole document, to resolve names with. */
export interface DocumentFacts {
  /** The root URL and service path; '' if missing. */
  readonly rootUrl: string
  readonly servicePath: string
  readonly schemas: ReadonlySet<string>
  readonly scopes: ReadonlySet<string>
  /** For each method's place, the id that follows from it, if the API has a name. */
  readonly treeIds: ReadonlyMap<string, string>
  /** The first place of each method id. */
  readonly methods: ReadonlyMap<string, string>
}

/** A problem in a document. */
export interface Finding {
  /** The path of the value: `resources.files.methods.list.parameters.q.type`; '' for the document. */
  readonly place: string
  /** The name of the rule, for programs; never changes. */
  readonly rule: string
  /** One or more sentences. */
  readonly text: string
  /** Whether it breaks the format; otherwise readers must tolerate it. */
  readonly isBreach: boolean
}

/** The place that is being checked. */
export interface CheckedValue {
  readonly place: string
  /** The last name in `place`. */
  readonly key: string
  /** Facts about the whole document. */
  readonly facts: DocumentFacts
  /** All findings so far. */
  readonly findings: Finding[]
}

/** The place of an object's member. */
export function below(spot: CheckedValue, key: string): CheckedValue {
  return {...spot, place: placeBelow(spot.place, key), key}
}

/** The place of a list's element. */
export function element(spot: CheckedValue, index: number): CheckedValue {
  return {...spot, place: `${spot.place}[${index}]`}
}

/** Records a breach for a path outside the root URL. */
export function checkBelowRoot(spot: CheckedValue, path: string): void {
  if (isBelowRoot(spot.facts.rootUrl, path)) return
  reportBreach(spot, 'path-below-root', `Is outside the root URL: ${quoteText(path)}.`)
}

export function reportBreach({place, findings}: CheckedValue, rule: string, text: string): void {
  findings.push({place, rule, text, isBreach: true})
}

export function reportWarning({place, findings}: CheckedValue, rule: string, text: string): void {
  findings.push({place, rule, text, isBreach: false})
}

/** Tolerant access to values that may have the wrong type, which other checks report. */

export type Members = Readonly<Record<string, unknown>>

/** The text, or `undefined` for anything else. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The members of an object; empty for anything else. */
export function membersIn(value: unknown): Members {
  return isObject(value) ? value : {}
}

/** The texts in a list; other elements are left out. */
export function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(item => typeof item === 'string') : []
}

/** The path of a member: `PLACE.KEY`. */
export function placeBelow(place: string, key: string): string {
  return place === '' ? key : `${place}.${key}`
}
