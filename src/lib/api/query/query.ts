/**
 * The search language of the `q` parameter (reference: protocols.md, section 5), as syntax trees and
 * fields. The service evaluates it.
 */

export type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=' | 'contains'
export type Literal = string | number | boolean

export type Query =
  | {readonly type: 'and' | 'or'; readonly left: Query; readonly right: Query}
  | {readonly type: 'not'; readonly operand: Query}
  | {
      readonly type: 'compare'
      readonly field: string
      readonly operator: Operator
      readonly value: Literal
    }
  | {readonly type: 'in'; readonly field: string; readonly value: Literal}
  | {readonly type: 'has'; readonly field: string; readonly pairs: Pairs}

/** The pairs in braces: `{key='k' and value='v'}`. */
export type Pairs = Readonly<Record<string, Literal>>

/** Thrown for a query with a syntax error or an unknown field. */
export class QueryError extends Error {
  constructor(
    /** Position of the error in UTF-16 units; the length of the text if it ends too early. */
    readonly at: number,
    /** The text at that position; '' at the end. */
    readonly found: string,
    /** The valid tokens there: keywords, symbols, fields, or descriptions of values. */
    readonly expected: readonly string[],
  ) {
    super(`Invalid query at character ${at + 1}.`)
    this.name = 'QueryError'
  }
}

/** The values that a query compares `field` with, except those after a `not`. */
export function comparedValues(query: Query, field: string): Literal[] {
  if (query.type === 'and' || query.type === 'or') {
    return [query.left, query.right].flatMap(part => comparedValues(part, field))
  }
  return query.type === 'compare' && query.field === field ? [query.value] : []
}

/** Whether a query contains a field. */
export function usesField(query: Query, field: string): boolean {
  if ('field' in query) return query.field === field
  const parts = query.type === 'not' ? [query.operand] : [query.left, query.right]
  return parts.some(part => usesField(part, field))
}

/** The operators and values a field accepts. */
export interface QueryField {
  readonly operators: ReadonlyArray<Operator | 'in' | 'has'>
  readonly value: 'text' | 'boolean' | 'time' | 'number' | 'any'
  /** All allowed values, if known. */
  readonly values?: readonly string[]
}

const EQUAL = ['=', '!='] as const
const ORDERED = ['<', '<=', '=', '!=', '>', '>='] as const

const string: QueryField = {operators: ['contains', ...EQUAL], value: 'text'}
const time: QueryField = {operators: ORDERED, value: 'time'}
const boolean: QueryField = {operators: EQUAL, value: 'boolean'}
const number: QueryField = {operators: ORDERED, value: 'number'}
const collection: QueryField = {operators: ['in'], value: 'text'}

/** Values of `visibility`: who can access a file without a permission of their own, from widest to narrowest. */
export const VISIBILITIES = [
  'anyoneCanFind',
  'anyoneWithLink',
  'domainCanFind',
  'domainWithLink',
  'limited',
] as const

/** Fields of queries for files (reference: protocols.md, section 5). */
export const fileQueryFields = {
  title: string,
  fullText: {operators: ['contains'], value: 'text'},
  mimeType: string,
  createdDate: time,
  modifiedDate: time,
  lastViewedByMeDate: time,
  sharedWithMeDate: time,
  trashed: boolean,
  starred: boolean,
  sharedWithMe: boolean,
  parents: collection,
  owners: collection,
  writers: collection,
  readers: collection,
  properties: {operators: ['has'], value: 'any'},
  visibility: {operators: EQUAL, value: 'text', values: VISIBILITIES},
  'shortcutDetails.targetId': {operators: EQUAL, value: 'text'},
  labels: collection,
} as const satisfies Readonly<Record<string, QueryField>>

/** Fields of queries for shared drives. */
export const driveQueryFields = {
  name: string,
  hidden: boolean,
  createdDate: time,
  memberCount: number,
  organizerCount: number,
} as const satisfies Readonly<Record<string, QueryField>>

/** The fields that `q` of an operation accepts. */
export function queryFieldsOf({resource}: {readonly resource: string}): QueryFields {
  return resource === 'drives' ? driveQueryFields : fileQueryFields
}

/** The operators and values of a label field, `labels/ID.FIELD`. */
export const labelQueryField: QueryField = {operators: [...ORDERED, 'in'], value: 'any'}

/** The label ID and field ID in a name such as `labels/ID.FIELD`; `undefined` for other names. */
export function labelFieldName(
  name: string,
): {readonly labelId: string; readonly fieldId: string} | undefined {
  const [, labelId, fieldId] = /^labels\/([^./]+)\.([^./]+)$/u.exec(name) ?? []
  return labelId === undefined || fieldId === undefined ? undefined : {labelId, fieldId}
}

export type QueryFields = Readonly<Record<string, QueryField>>

/** The field of that name, including label fields; `undefined` for an unknown field. */
export function queryField(fields: QueryFields, name: string): QueryField | undefined {
  if (Object.hasOwn(fields, name)) return fields[name]
  return Object.hasOwn(fields, 'labels') && labelFieldName(name) ? labelQueryField : undefined
}
