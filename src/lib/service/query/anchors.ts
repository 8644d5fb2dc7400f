import {readTime} from '#lib/api/query/parse.js'
import type {Query} from '#lib/api/query/query.js'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import type {Parameters} from '#lib/service/store/database/database.js'
import {countRows, HOLDER} from '#lib/service/store/files/files.js'
import {searchWords, titleSortKey} from '#lib/service/store/files/words.js'
import type {Store} from '#lib/service/store/index.js'
import {phrases} from './fields.js'
import {matching, textItems} from './file-fields.js'
import {NEVER} from './order.js'
import type {Bind} from './sql.js'

/**
 * This folder turns searches into SQL: the query language, fields, orders, and the indexes to read.
 * `../store` runs the SQL.
 */

/**
 * A query for IDs along an index whose result contains every item that a search finds. A search has
 * any number of anchors. SQLite cannot tell which ones are short, so `shortest` counts them.
 */
export interface Anchor {
  /** The query. With `byHolder`, it returns only items of this holder. */
  items(holder: string): string
  readonly byHolder: boolean
  /** Use this anchor even if it is long: reading all files would take longer. */
  readonly always?: boolean
}

/** Up to this number of items, reading and sorting is faster than scanning the list in its order. */
const FEW = 2000

/** The shortest of the anchors, for a page of `size`; `undefined` if all are long. */
export function shortest(
  store: Store,
  anchors: readonly Anchor[],
  holders: readonly string[],
  {size, parameters}: {readonly size: number; readonly parameters: Parameters},
): Anchor | undefined {
  let limit = Math.max(FEW, 10 * size)
  let best: Anchor | undefined
  for (const anchor of anchors) {
    const queries = anchor.byHolder
      ? holders.map(holder => anchor.items(holder))
      : [anchor.items('')]
    const count = countRows(store, queries, limit, parameters)
    if (count > limit) continue
    best = anchor
    limit = count - 1
    if (limit < 0) break
  }
  return best ?? anchors.find(({always}) => always)
}

/** The anchors of a query. `folder` returns the real ID of a folder that the caller can see. */
export function anchorsOf(
  query: Query,
  bind: Bind,
  folder: (id: string) => string | undefined,
): readonly Anchor[] {
  switch (query.type) {
    case 'and':
      return [...anchorsOf(query.left, bind, folder), ...anchorsOf(query.right, bind, folder)]
    case 'or': {
      const [left] = anchorsOf(query.left, bind, folder)
      const [right] = left ? anchorsOf(query.right, bind, folder) : []
      return left && right ? [either(left, right)] : []
    }
    case 'compare': {
      const {field, operator, value} = query
      if (typeof value === 'boolean') {
        const anchor = FLAGS.get(field)
        return anchor && value === (operator === '=') && operator !== 'contains' ? [anchor] : []
      }
      return typeof value === 'string' && operator !== '!='
        ? compared(field, operator, value, bind)
        : []
    }
    case 'in': {
      const id =
        query.field === 'parents' && typeof query.value === 'string'
          ? folder(query.value)
          : undefined
      return id === undefined
        ? []
        : [sharedAnchor(`SELECT id FROM files WHERE parent_id = ${bind(id)}`)]
    }
    default:
      return []
  }
}

function either(left: Anchor, right: Anchor): Anchor {
  return {
    items: holder => `${left.items(holder)} UNION ALL ${right.items(holder)}`,
    byHolder: left.byHolder || right.byHolder,
    always: left.always || right.always,
  }
}

/** An anchor that is the same for every holder. `items` is a query for IDs. */
export function sharedAnchor(items: string): Anchor {
  return {items: () => items, byHolder: false}
}

function held(where: string): Anchor {
  return {
    items: holder => `SELECT id FROM files WHERE ${HOLDER} = ${holder} AND ${where}`,
    byHolder: true,
  }
}

function marked(where: string): Anchor {
  return sharedAnchor(`SELECT file_id AS id FROM user_files WHERE user_id = :userId AND ${where}`)
}

const FLAGS: ReadonlyMap<string, Anchor> = new Map([
  ['trashed', held('trashed = 1')],
  ['starred', marked('starred = 1')],
  ['sharedWithMe', marked('shared_at IS NOT NULL')],
])

/** Matches folders and files, which the indexes by holder keep apart. */
const BOTH = `(mime_type <> '${FOLDER_TYPE}') IN (0, 1)`

function compared(field: string, operator: string, value: string, bind: Bind): Anchor[] {
  switch (field) {
    case 'title': {
      if (operator === 'contains') return titleWord(value, bind)
      return operator === '=' ? [held(`${BOTH} AND title_key = ${bind(titleSortKey(value))}`)] : []
    }
    case 'fullText': {
      const found = phrases(value)
      // One subquery, because SQLite limits the number of terms in a UNION.
      return found.length > 0
        ? [{...sharedAnchor(`SELECT id FROM (${textItems(found, bind)})`), always: true}]
        : []
    }
    case 'mimeType': {
      const type = value.toLowerCase()
      if (operator === '=') return [held(`lower(mime_type) = ${bind(type)}`)]
      return type === '' ? [] : [held(startsWith('lower(mime_type)', bind(type)))]
    }
    case 'createdDate':
    case 'modifiedDate': {
      const column = field === 'createdDate' ? 'created_at' : 'modified_at'
      const time = readTime(value)
      return time === undefined ? [] : [held(`${BOTH} AND ${column} ${operator} ${bind(time)}`)]
    }
    case 'lastViewedByMeDate': {
      const time = readTime(value)
      const viewed = `coalesce(viewed_at, ${NEVER})`
      return time === undefined
        ? []
        : [marked(`${viewed} ${operator} ${bind(time)} AND ${viewed} > ${NEVER}`)]
    }
    case 'sharedWithMeDate':
      return [marked('shared_at IS NOT NULL')]
    default:
      return []
  }
}

/** Maximum number of title words with an anchor: counting takes time, and a few words are enough. */
const MAX_WORDS = 5

/** An anchor for each of the longest words, since any of them may be rare, and for the last word as a prefix. */
function titleWord(value: string, bind: Bind): Anchor[] {
  const words = searchWords(value).trim().split(' ')
  const last = words.pop()!
  const whole = [...new Set(words)].sort((a, b) => b.length - a.length).slice(0, MAX_WORDS)
  const patterns = [
    ...whole.map(word => `title : "${word}"`),
    ...(last === '' ? [] : [`title : "${last}" *`]),
  ]
  return patterns.map(pattern => sharedAnchor(matching(pattern, bind)))
}

function startsWith(expression: string, start: string): string {
  return `${expression} >= ${start} AND ${expression} < ${start} || char(1114111)`
}
