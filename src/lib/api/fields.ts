import {own} from '#lib/platform/values.js'
import {resolve} from './operations.js'
import type {Schema, SchemaMap} from './types.js'

/**
 * The `fields` selector for partial responses (reference: protocols.md, section 4):
 * `items(id,labels/trashed),nextPageToken`.
 */

/** What is selected below a name; an empty tree selects everything below it. */
export interface Selection {
  readonly [name: string]: Selection
}

/** Thrown for a selector that does not follow the grammar, or names a field the schema does not have. */
export class FieldsError extends Error {
  constructor(
    readonly selection: string,
    /** The fields that the schema has there; left out where the grammar is broken. */
    readonly known?: readonly string[],
  ) {
    super(`Invalid field selection ${selection}`)
  }
}

/** Parses a selector; throws `FieldsError`. Selecting a thing and a part of it selects the whole thing. */
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

/** Throws `FieldsError` for the first selected name that `schema`, of a document with `schemas`, does not have. */
export function checkFields(selection: Selection, schema: Schema, schemas: SchemaMap): void {
  const target = elementSchema(schema, schemas)
  // Of what may be anything nobody knows the fields.
  if (target.type === undefined || target.type === 'any') return
  for (const [name, below] of Object.entries(selection)) {
    if (name === '*') continue
    const property = own(target.properties ?? {}, name) ?? target.additionalProperties
    if (!property) throw new FieldsError(name, Object.keys(target.properties ?? {}))
    if (Object.keys(below).length > 0) checkFields(below, property, schemas)
  }
}

/** What the selector leaves of an answer. Lists are transparent; an object left empty is dropped. */
export function select(selection: Selection, value: unknown): unknown {
  return pick(selection, value) ?? {}
}

/** Whether anything is selected of what has this name; without a selection all is. */
export function selects(selection: Selection | undefined, name: string): boolean {
  if (selection === undefined || isWhole(selection)) return true
  return Object.hasOwn(selection, name) || Object.hasOwn(selection, '*')
}

/** What is selected of what has this name: all of it where nothing more is said. */
export function selectionOf(selection: Selection | undefined, name: string): Selection | undefined {
  if (selection === undefined || isWhole(selection)) return selection
  return own(selection, name) ?? own(selection, '*')
}

/** Nothing more is said: everything is selected. */
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
  // A loop: a page of a list has thousands of fields.
  for (const name of Object.keys(value)) {
    const below = selectionOf(selection, name)
    const chosen = below && pick(below, (value as Record<string, unknown>)[name])
    if (chosen !== undefined) kept.push([name, chosen])
  }
  return kept.length > 0 ? Object.fromEntries(kept) : undefined
}
