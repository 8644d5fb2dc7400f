import {readTime} from '#lib/api/query/parse.js'
import type {driveQueryFields, Literal, Operator} from '#lib/api/query/query.js'
import type {DriveFilter} from '#lib/service/store/drives.js'
import {searchWords, titleSortKey} from '#lib/service/store/files/words.js'
import {type Bind, binder, querySql, readQuery, type SqlField} from './sql.js'

/**
 * The types of field that queries know (reference: protocols.md, section 5). Each takes the SQL
 * expression that it reads; one that is NULL equals nothing and comes before nothing.
 */

/** Comparisons with what `read` makes of a value; one of which it makes nothing is an error in the query. */
function field<T extends string | number>(
  expression: string,
  read: (value: Literal) => T | undefined,
  condition = equality,
): SqlField {
  return {
    compare(operator, value, bind) {
      const wanted = read(value)
      return wanted === undefined ? undefined : condition(expression, operator, wanted, bind)
    },
  }
}

/** `=` and `!=` with a text. */
export function textField(expression: string): SqlField {
  return field(expression, value => (typeof value === 'string' ? value : undefined))
}

/** `=` and `!=` with one of `values`. */
export function choiceField(expression: string, values: readonly string[]): SqlField {
  return field(expression, value => values.find(known => known === value))
}

/** `=` and `!=` with true or false, or the field alone. The expression is 0 or 1. */
export function booleanField(expression: string): SqlField {
  return field(expression, value => (typeof value === 'boolean' ? Number(value) : undefined))
}

/** Comparisons with a whole number. */
function integerField(expression: string): SqlField {
  const read = (value: Literal) => (Number.isSafeInteger(value) ? Number(value) : undefined)
  return field(expression, read, comparison)
}

/** Comparisons with a time in quotes. The expression is Unix ms. */
export function timeField(expression: string): SqlField {
  const read = (value: Literal) => (typeof value === 'string' ? readTime(value) : undefined)
  return field(expression, read, comparison)
}

/**
 * A title or name: `=` and `!=` compare it whole, whatever its letter case; `contains` finds the
 * value's words one behind the other, the last of which may be the start of a longer one. A value
 * of signs alone, such as `%`, has no words and is found as it stands.
 */
export function titleField(key: string, words: string): SqlField {
  return {
    compare(operator, value, bind) {
      if (typeof value !== 'string') return undefined
      if (operator !== 'contains') return equality(key, operator, titleSortKey(value), bind)
      const wanted = searchWords(value).trimEnd()
      return wanted === ''
        ? `instr(${key}, ${bind(value.trim().normalize('NFC').toLowerCase())}) > 0`
        : `instr(${words}, ${bind(wanted)}) > 0`
    },
  }
}

/** `=`, `!=` and, for the start of it, `contains` with a media type, whatever its letter case. */
export function mediaTypeField(expression: string): SqlField {
  const lower = `lower(${expression})`
  return {
    compare(operator, value, bind) {
      if (typeof value !== 'string') return undefined
      const wanted = value.toLowerCase()
      if (operator !== 'contains') return equality(lower, operator, wanted, bind)
      const start = bind(wanted)
      return `substr(${lower}, 1, length(${start})) = ${start}`
    },
  }
}

/** The searches that a text stands for: words in quotes as one phrase, others one by one. */
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

/** `=` or `!=`, for which NULL is a value like others; `undefined` for any other operator. */
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

/** Any operator but `contains`. */
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

/** What queries over shared drives know (reference: protocols.md, section 5). */
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

/** The shared drives that the `q` of drives.list asks for; all without one. */
export function driveFilter(q: string | undefined): DriveFilter {
  const query = readQuery(q)
  const {bind, parameters} = binder()
  return {condition: query ? querySql(query, driveField, bind) : 'TRUE', parameters}
}
