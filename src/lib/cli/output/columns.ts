import {FieldsError, parseFields, type Selection} from '#lib/api/fields.js'
import {isObject, own} from '#lib/platform/values.js'
import type {Row} from './format.js'

/** A column of a list: its title and what stands in it. */
export interface Column {
  readonly title: string
  readonly value: (record: Row) => unknown
  /** Never cut: half an ID or half a time is of no use. */
  readonly isWhole: boolean
}

const WHOLE = new Set(['id', 'item', 'key', 'size', 'modified', 'created', 'time', 'expires'])

/**
 * What lists show of each kind of record. Paths reach into a record: `file.title`. The first one
 * that has a value counts where several are given.
 */
const columnsOfKind: Readonly<
  Record<string, Readonly<Record<string, string | readonly string[]>>>
> = {
  'drive#app': {id: 'id', name: 'name', installed: 'installed', authorized: 'authorized'},
  'drive#change': {
    id: 'id',
    type: ['changeType', 'type'],
    item: ['fileId', 'driveId'],
    deleted: 'deleted',
    title: ['file.title', 'drive.name'],
    time: 'modificationDate',
  },
  'drive#childReference': {id: 'id'},
  'drive#drive': {id: 'id', name: 'name', hidden: 'hidden', created: 'createdDate'},
  'drive#file': {
    id: 'id',
    title: 'title',
    type: 'mimeType',
    size: 'fileSize',
    modified: 'modifiedDate',
  },
  'drive#label': {id: 'id', revision: 'revisionId', fields: 'fields'},
  'drive#parentReference': {id: 'id', root: 'isRoot'},
  'drive#permission': {
    id: 'id',
    type: 'type',
    role: 'role',
    who: ['emailAddress', 'domain', 'name'],
    expires: 'expirationDate',
  },
  'drive#property': {key: 'key', value: 'value', visibility: 'visibility'},
  'drive#revision': {
    id: 'id',
    size: 'fileSize',
    modified: 'modifiedDate',
    by: ['lastModifyingUser.displayName', 'lastModifyingUserName'],
    pinned: 'pinned',
  },
}

/** Fields of a record that say nothing to a person. */
export const NOISE = new Set(['kind', 'etag', 'selfLink'])

/** The columns of its own that a kind of records has. */
function columnsOf(kind: unknown) {
  return typeof kind === 'string' && Object.hasOwn(columnsOfKind, kind)
    ? columnsOfKind[kind]
    : undefined
}

/** Whether lists have columns of their own for records of this kind. */
export function hasColumns({kind}: Row): boolean {
  return columnsOf(kind) !== undefined
}

/** The paths of what a list shows of records of a kind, with the kind itself, by which it is known. */
export function shownPaths(kind: string): string[] | undefined {
  const columns = columnsOf(kind)
  return columns && ['kind', ...new Set(Object.values(columns).flat())]
}

/** The paths of the fields that rows of records have, where the first one is this. */
export function fieldPaths(first: Row): string[] {
  const paths = shownPaths(String(first.kind)) ?? Object.keys(first)
  return paths.filter(path => !NOISE.has(path))
}

/**
 * The columns that the value of `--fields` asks for: of a list `items(id,labels/trashed)` gives
 * `id` and `labels.trashed`, of a record `id,labels/trashed` does. `undefined` where it names none,
 * or cannot be read.
 */
export function selectedColumns(fields: unknown, of: 'list' | 'record'): string[] | undefined {
  if (typeof fields !== 'string') return undefined
  try {
    const selection = parseFields(fields)
    const paths = leaves(of === 'list' ? (selection.items ?? {}) : selection)
    return paths.length > 0 && !paths.some(path => path.includes('*')) ? paths : undefined
  } catch (error) {
    // The service says what is wrong with it.
    if (error instanceof FieldsError) return undefined
    throw error
  }
}

function leaves(selection: Selection): string[] {
  return Object.entries(selection).flatMap(([name, below]) => {
    const paths = leaves(below)
    return paths.length > 0 ? paths.map(path => `${name}.${path}`) : [name]
  })
}

/** The columns for a list of records that begins with `first`. */
export function listColumns(first: Row, asked?: readonly string[]): Column[] {
  if (asked) {
    return asked.map(path => ({
      title: path,
      value: record => reach(record, path),
      isWhole: WHOLE.has(path),
    }))
  }
  const known = columnsOf(first.kind)
  if (known) {
    return Object.entries(known).map(([title, paths]) => ({
      title,
      value: record => firstValue(record, paths),
      isWhole: WHOLE.has(title),
    }))
  }
  return Object.keys(first)
    .filter(name => !NOISE.has(name))
    .map(name => ({title: name, value: record => own(record, name), isWhole: WHOLE.has(name)}))
}

/** The lines that show a single record: names and values, without what is noise to people. */
export function recordLines(record: Row, asked?: readonly string[]): Array<[string, unknown]> {
  if (asked) return asked.map(path => [path, reach(record, path)])
  return Object.entries(record).filter(([name]) => !NOISE.has(name))
}

/** The value at the first of some paths that has one. */
export function firstValue(record: Row, paths: string | readonly string[]): unknown {
  for (const path of typeof paths === 'string' ? [paths] : paths) {
    const value = reach(record, path)
    if (value !== undefined && value !== null) return value
  }
  return undefined
}

/** The value at a path; of a list the values at that path in each of its elements. */
export function reach(value: unknown, path: string): unknown {
  if (path === '') return value
  if (Array.isArray(value)) return value.map(element => reach(element, path))
  const [name = '', ...rest] = path.split('.')
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return reach((value as Row)[name], rest.join('.'))
}

/** What is below each name; nothing below means all. */
class Tree extends Map<string, Tree> {}

/** The named parts of a record, in the order of `paths`, where they are: `a.b` stays within `a`. */
export function picked(record: Row, paths: readonly string[]): Row {
  const tree = new Tree()
  for (const path of paths) {
    let at = tree
    // Whoever names a thing and a part of it wants the thing.
    const whole = paths.find(other => path.startsWith(`${other}.`)) ?? path
    for (const name of whole.split('.')) {
      const below = at.get(name) ?? new Tree()
      at.set(name, below)
      at = below
    }
  }
  return take(record, tree) as Row
}

function take(value: unknown, tree: Tree): unknown {
  if (tree.size === 0) return value
  if (Array.isArray(value)) return value.map(element => take(element, tree))
  if (!isObject(value)) return value
  const names = [...tree].filter(([name]) => Object.hasOwn(value, name))
  return Object.fromEntries(names.map(([name, below]) => [name, take(value[name], below)]))
}
