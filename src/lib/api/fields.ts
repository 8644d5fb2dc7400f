import {ownProperty} from '#lib/platform/values.js'
import {resolve} from './operations.js'
import type {Schema, SchemaMap} from './types.js'

/**
 * The `fields` selector for partial responses (reference: protocols.md, section 4):
 * `items(id,labels/trashed),nextPageToken`.
 */

/** The selected fields by name; an empty selection selects everything. */
export interface Selection {
  readonly [name: string]: Selection
}

/** Thrown for a selector with a syntax error or an unknown field. */
export class FieldsError extends Error {
  constructor(
    readonly selection: string,
    /** The fields of the schema at that level; absent for a syntax error. */
    readonly known?: readonly string[],
  ) {
    super(`Invalid field selection ${selection}`)
  }
}

/** Parses a selector; throws `FieldsError`. Selecting a field and a part of it selects the whole field. */
export function parseFields(text: string): Selection {
  const tokens = text.match(/[(),/]|\*|[^\s(),/*]+|\S/g) ?? []
  let position = 0
  const fail = () => new FieldsError(tokens[position] ?? text)

  function list(into: Tree): Tree {
    for (;;) {
      item(into)
      if (tokens[position] !== ',') return into
      position++
    }
  }

  function item(into: Tree): void {
    const name = tokens[position]
    if (name === undefined || !/^(\*|[\w$.-]+)$/.test(name)) throw fail()
    position++
    const whole = into.get(name)?.size === 0
    const below: Tree = into.get(name) ?? new Map()
    into.set(name, below)
    if (tokens[position] === '/') {
      position++
      item(whole ? new Map() : below)
    } else if (tokens[position] === '(') {
      position++
      list(whole ? new Map() : below)
      if (tokens[position] !== ')') throw fail()
      position++
    } else {
      below.clear()
    }
  }

  const tree = list(new Map())
  if (position !== tokens.length) throw fail()
  return asSelection(tree)
}

/** The selector with the fields that it lacks; an invalid one unchanged, because the service reports its error. */
export function addFields(text: string, names: readonly string[]): string {
  try {
    const selection = parseFields(text)
    return [text, ...names.filter(name => !selects(selection, name))].join(',')
  } catch (error) {
    if (error instanceof FieldsError) return text
    throw error
  }
}

/** The selector of a selection. */
export function fieldsText(selection: Selection): string {
  const texts = Object.entries(selection).map(([name, below]) =>
    isWhole(below) ? name : `${name}(${fieldsText(below)})`,
  )
  return texts.join(',')
}

/** Throws `FieldsError` for the first selected name that `schema` does not have; `schemas` resolves references. */
export function checkFields(selection: Selection, schema: Schema, schemas: SchemaMap): void {
  const target = elementSchema(schema, schemas)
  // A value of any type has no known fields.
  if (target.type === undefined || target.type === 'any') return
  for (const [name, below] of Object.entries(selection)) {
    if (name === '*') continue
    const property = ownProperty(target.properties ?? {}, name) ?? target.additionalProperties
    if (!property) throw new FieldsError(name, Object.keys(target.properties ?? {}))
    if (Object.keys(below).length > 0) checkFields(below, property, schemas)
  }
}

/** The selected parts of a response. A selection applies to each element of a list; empty objects are dropped. */
export function select(selection: Selection, value: unknown): unknown {
  return pick(selection, value) ?? {}
}

/** Whether the field `name` is selected, wholly or in part; without a selection every field is. */
export function selects(selection: Selection | undefined, name: string): boolean {
  if (selection === undefined || isWhole(selection)) return true
  return Object.hasOwn(selection, name) || Object.hasOwn(selection, '*')
}

/** The selection within the field `name`; an empty selection means the whole field. */
export function selectionOf(selection: Selection | undefined, name: string): Selection | undefined {
  if (selection === undefined || isWhole(selection)) return selection
  return ownProperty(selection, name) ?? ownProperty(selection, '*')
}

/** Whether a selection selects everything. */
function isWhole(selection: Selection): boolean {
  return Object.keys(selection).length === 0
}

type Tree = Map<string, Tree>

function asSelection(tree: Tree): Selection {
  return Object.fromEntries([...tree].map(([name, below]) => [name, asSelection(below)]))
}

function elementSchema(schema: Schema, schemas: SchemaMap): Schema {
  const resolved = resolve(schema, schemas)
  return resolved.type === 'array' && resolved.items
    ? elementSchema(resolved.items, schemas)
    : resolved
}

function pick(selection: Selection, value: unknown): unknown {
  if (isWhole(selection)) return value
  if (Array.isArray(value)) {
    return value.map(element => pick(selection, element)).filter(element => element !== undefined)
  }
  if (typeof value !== 'object' || value === null) return undefined
  const kept: [string, unknown][] = []
  // A loop, for speed: a page of a list has thousands of fields.
  for (const name of Object.keys(value)) {
    const below = selectionOf(selection, name)
    const chosen = below && pick(below, (value as Record<string, unknown>)[name])
    if (chosen !== undefined) kept.push([name, chosen])
  }
  return kept.length > 0 ? Object.fromEntries(kept) : undefined
}
