import {FieldsError, parseFields, type Selection} from '#lib/api/fields.js'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import type {Tone} from '#lib/cli/terminal/color.js'
import {isObject} from '#lib/platform/values.js'
import type {Row} from './format.js'
import {columnsOfKind, type TableName} from './kind-columns.js'
import {peopleText} from './people.js'
import type {Path, TableColumn} from './table-column.js'

/** Fields of a record that are useless to people. */
export const NOISE = new Set(['kind', 'etag', 'selfLink'])

/** Whether the table of that name always shows all columns. */
export function showsAll(name: TableName): boolean {
  return columnsOfKind(name)?.isWhole === true
}

/** Whether this kind of records has its own columns. */
export function hasColumns({kind}: Row): boolean {
  return columnsOfKind(kind)?.rows !== undefined
}

/** The fields that a list needs to show records of a kind, including `kind` itself. */
export function kindPaths(kind: unknown, isForPeople: boolean): string[] | undefined {
  const {rows, table} = columnsOfKind(kind) ?? {}
  const paths = isForPeople
    ? table && Object.values(table).flatMap(({of, more = []}) => [of, ...more])
    : rows
  return paths && ['kind', ...new Set(paths.flat())]
}

/** The columns of rows without a header; `first` is the first record. */
export function rowPaths(first: Row): readonly Path[] {
  return columnsOfKind(first.kind)?.rows ?? fieldsOf(first)
}

function fieldsOf(record: Row): readonly string[] {
  return Object.keys(record).filter(name => !NOISE.has(name))
}

/**
 * The columns that `--fields` selects: `id` and `labels.trashed` for `items(id,labels/trashed)` of a list
 * or `id,labels/trashed` of a record. `undefined` if it selects none or is invalid.
 */
export function selectedColumns(fields: unknown, of: 'list' | 'record'): string[] | undefined {
  if (typeof fields !== 'string') return undefined
  try {
    const selection = parseFields(fields)
    const paths = leaves(of === 'list' ? (selection.items ?? {}) : selection)
    return paths.length > 0 && !paths.some(path => path.includes('*')) ? paths : undefined
  } catch (error) {
    // The service reports the error.
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

/** A column of a table for people. */
export interface Column extends Omit<TableColumn, 'of' | 'show' | 'tone'> {
  readonly title: string
  readonly text: (record: Row) => string
  readonly tone: (record: Row) => Tone | undefined
}

/** Fields that are useless when cut. */
const WHOLE = /^(id|item|key|size|md5|modified|created|time|expires)$|(Id|Date|Size|Checksum)$/

/** The columns of a table; `first` is the first record, `asked` names fields. */
export function tableColumns(
  first: Row,
  {asked, name = first.kind}: {readonly asked?: readonly string[]; readonly name?: unknown},
): Column[] {
  const own = asked === undefined ? columnsOfKind(name)?.table : undefined
  if (!own) {
    return (asked ?? fieldsOf(first)).map(title => ({
      title,
      text: record => peopleText(valueAt(record, title), title.split('.').at(-1)),
      isWhole: WHOLE.test(title),
      rank: 0,
      tone: () => undefined,
    }))
  }
  return Object.entries(own).map(([title, {of, show, tone, ...rest}]) => ({
    ...rest,
    title,
    text: record => {
      const value = firstValue(record, of)
      return show ? show(value, record) : peopleText(value, String(of))
    },
    tone: ({mimeType}) =>
      tone ?? (rest.rank === 0 && mimeType === FOLDER_TYPE ? 'folder' : undefined),
  }))
}

/** The fields of a single record as names and values; without `asked`, omits fields useless to people. */
export function recordLines(record: Row, asked?: readonly string[]): Array<[string, unknown]> {
  if (asked) return asked.map(path => [path, valueAt(record, path)])
  return Object.entries(record).filter(([name]) => !NOISE.has(name))
}

/** The value at the first path that has one. */
export function firstValue(record: Row, paths: Path): unknown {
  for (const path of [paths].flat()) {
    const value = valueAt(record, path)
    if (value !== undefined && value !== null) return value
  }
  return undefined
}

/** The value at a path; for a list, the values at that path of its elements. */
export function valueAt(value: unknown, path: string): unknown {
  if (path === '') return value
  if (Array.isArray(value)) return value.map(element => valueAt(element, path))
  if (!isObject(value)) return undefined
  // The name of a field can contain dots.
  if (Object.hasOwn(value, path)) return value[path]
  const [name = '', ...rest] = path.split('.')
  return Object.hasOwn(value, name) ? valueAt(value[name], rest.join('.')) : undefined
}

/** The selected children of each name; an empty tree selects everything. */
class Tree extends Map<string, Tree> {}

/** The parts of a record at `paths`, in that order; `a.b` stays nested in `a`. */
export function pickColumns(record: Row, paths: readonly string[]): Row {
  const tree = new Tree()
  for (const path of paths) {
    let at = tree
    // If an object and a part of it are named, take the whole object.
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

/** Integer fields of files and revisions, which the service sends as strings. */
const NUMBERS = ['fileSize', 'quotaBytesUsed', 'version', 'thumbnailVersion']

/** Converts integer strings of a record to numbers where that is exact. */
export function withNumbers(record: Row): Row {
  const numbers = NUMBERS.flatMap(name => {
    const value = record[name]
    const isExact = typeof value === 'string' && /^\d+$/.test(value) && Number.isSafeInteger(+value)
    return isExact ? [[name, Number(value)] as const] : []
  })
  return numbers.length === 0 ? record : {...record, ...Object.fromEntries(numbers)}
}
