import {readTime} from '#lib/api/query/parse.js'
import type {driveQueryFields, Literal, Operator} from '#lib/api/query/query.js'
import type {DriveFilter} from '#lib/service/store/drives.js'
import {searchWords, titleSortKey} from '#lib/service/store/files/words.js'
import {type Bind, binder, querySql, readQuery, type SqlField} from './sql.js'

/**
 * The field types of queries (reference: protocols.md, section 5). Each takes the SQL expression that
 * it reads. NULL is not equal to, less than or greater than any value.
 */

/** A field that compares with the result of `read`. If that is `undefined`, the query is invalid. */
function field<T extends string | number>(
  expression: string,
  read: (value: Literal) => T | undefined,
  condition = equality,
): SqlField {
  return {
    compare(operator, value, bind) {
      const operand = read(value)
      return operand === undefined ? undefined : condition(expression, operator, operand, bind)
    },
  }
}

/** Supports `=` and `!=` with text. */
export function textField(expression: string): SqlField {
  return field(expression, value => (typeof value === 'string' ? value : undefined))
}

/** Supports `=` and `!=` with one of `values`. */
export function choiceField(expression: string, values: readonly string[]): SqlField {
  return field(expression, value => values.find(known => known === value))
}

/** Supports `=` and `!=` with true or false. The expression is 0 or 1. */
export function booleanField(expression: string): SqlField {
  return field(expression, value => (typeof value === 'boolean' ? Number(value) : undefined))
}

/** Supports comparisons with an integer. */
function integerField(expression: string): SqlField {
  const read = (value: Literal) => (Number.isSafeInteger(value) ? Number(value) : undefined)
  return field(expression, read, comparison)
}

/** Supports comparisons with a quoted time. The expression is in Unix ms. */
export function timeField(expression: string): SqlField {
  const read = (value: Literal) => (typeof value === 'string' ? readTime(value) : undefined)
  return field(expression, read, comparison)
}

/**
 * A title or name. `=` and `!=` compare the whole text and ignore case. `contains` finds the words of
 * the value in sequence; the last one also as a prefix. A value without words, such as `%`, matches
 * literally.
 */
export function titleField(key: string, words: string): SqlField {
  return {
    compare(operator, value, bind) {
      if (typeof value !== 'string') return undefined
      if (operator !== 'contains') return equality(key, operator, titleSortKey(value), bind)
      const phrase = searchWords(value).trimEnd()
      return phrase === ''
        ? `instr(${key}, ${bind(value.trim().normalize('NFC').toLowerCase())}) > 0`
        : `instr(${words}, ${bind(phrase)}) > 0`
    },
  }
}

/** A media type, compared without case. `contains` matches a prefix. */
export function mediaTypeField(expression: string): SqlField {
  const lower = `lower(${expression})`
  return {
    compare(operator, value, bind) {
      if (typeof value !== 'string') return undefined
      const type = value.toLowerCase()
      if (operator !== 'contains') return equality(lower, operator, type, bind)
      const start = bind(type)
      return `substr(${lower}, 1, length(${start})) = ${start}`
    },
  }
}

/** The phrases in a search text: quoted words form one phrase, other words one each. */
export function phrases(text: string): string[] {
  const parts = text.split('"')
  return parts
    .flatMap((part, index) =>
      index % 2 === 1
        ? [searchWords(part)]
        : searchWords(part)
            .trim()
            .split(' ')
            .map(word => searchWords(word)),
    )
    .filter(phrase => phrase.trim() !== '')
}

/** A condition for `=` or `!=` that treats NULL as a value; `undefined` for other operators. */
function equality(
  expression: string,
  operator: Operator,
  value: string | number,
  bind: Bind,
): string | undefined {
  if (operator === '=') return `${expression} IS ${bind(value)}`
  if (operator === '!=') return `${expression} IS NOT ${bind(value)}`
  return undefined
}

/** A condition for any operator except `contains`, where it returns `undefined`. */
export function comparison(
  expression: string,
  operator: Operator,
  value: string | number,
  bind: Bind,
): string | undefined {
  if (operator === 'contains') return undefined
  return (
    equality(expression, operator, value, bind) ??
    `coalesce(${expression} ${operator} ${bind(value)}, FALSE)`
  )
}

const ofTop = (column: string) => `(SELECT f.${column} FROM files f WHERE f.id = d.id)`
const MEMBERS = "SELECT count(*) FROM permissions m WHERE m.file_id = d.id AND m.type = 'user'"

/** The fields of shared drives (reference: protocols.md, section 5). */
const FIELDS: Readonly<Record<keyof typeof driveQueryFields, SqlField>> = {
  name: titleField(ofTop('title_key'), ofTop('title_words')),
  hidden: booleanField(
    'EXISTS (SELECT 1 FROM hidden_drives h WHERE h.drive_id = d.id AND h.user_id = :userId)',
  ),
  createdDate: timeField('d.created_at'),
  memberCount: integerField(`(${MEMBERS})`),
  organizerCount: integerField(`(${MEMBERS} AND m.role = 'organizer')`),
}

function driveField(name: string): SqlField | undefined {
  return Object.hasOwn(FIELDS, name) ? FIELDS[name as keyof typeof FIELDS] : undefined
}

/** The filter for the `q` of drives.list (default: all shared drives). Throws 400 for an invalid query. */
export function driveFilter(q: string | undefined): DriveFilter {
  const query = readQuery(q)
  const {bind, parameters} = binder()
  return {condition: query ? querySql(query, driveField, bind) : 'TRUE', parameters}
}
