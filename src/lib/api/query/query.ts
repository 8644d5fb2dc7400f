/**
 * The search language of the `q` parameter (reference: protocols.md, section 5): texts become trees,
 * and what cannot be read is told with its place. What a search finds belongs to the service.
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

/** What stands in braces: `{key='k' and value='v'}`. */
export type Pairs = Readonly<Record<string, Literal>>

/** A text that is no query. */
export class QueryError extends Error {
  constructor(
    /** Where, in UTF-16 units; the length of the text where it ends too early. */
    readonly at: number,
    /** What stands there; '' at the end. */
    readonly found: string,
    /** What could stand there: words of the language, or kinds of values as people call them. */
    readonly expected: readonly string[],
  ) {
    super(`The query cannot be read at ${at}.`)
    this.name = 'QueryError'
  }
}

/** The values that a query compares `field` with, but for those behind a `not`. */
export function wantedValues(query: Query, field: string): Literal[] {
  if (query.type === 'and' || query.type === 'or') {
    return [query.left, query.right].flatMap(part => wantedValues(part, field))
  }
  return query.type === 'compare' && query.field === field ? [query.value] : []
}

/** Whether a query names a field anywhere. */
export function usesField(query: Query, field: string): boolean {
  if ('field' in query) return query.field === field
  const parts = query.type === 'not' ? [query.operand] : [query.left, query.right]
  return parts.some(part => usesField(part, field))
}

/** What a query may ask of a field. */
export interface QueryField {
  readonly operators: ReadonlyArray<Operator | 'in' | 'has'>
  readonly value: 'text' | 'boolean' | 'time' | 'number' | 'any'
  /** All that it may be, where that is known. */
  readonly values?: readonly string[]
}

const EQUAL = ['=', '!='] as const
const ORDERED = ['<', '<=', '=', '!=', '>', '>='] as const

const words: QueryField = {operators: ['contains', ...EQUAL], value: 'text'}
const time: QueryField = {operators: ORDERED, value: 'time'}
const boolean: QueryField = {operators: EQUAL, value: 'boolean'}
const number: QueryField = {operators: ORDERED, value: 'number'}
const collection: QueryField = {operators: ['in'], value: 'text'}

/** How far a file is open to more than people by name, the widest first. */
export const VISIBILITIES = [
  'anyoneCanFind',
  'anyoneWithLink',
  'domainCanFind',
  'domainWithLink',
  'limited',
] as const

/** The fields that queries over files know (reference: protocols.md, section 5). */
export const fileQueryFields = {
  title: words,
  fullText: {operators: ['contains'], value: 'text'},
  mimeType: words,
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

/** The same for shared drives. */
export const driveQueryFields = {
  name: words,
  hidden: boolean,
  createdDate: time,
  memberCount: number,
  organizerCount: number,
} as const satisfies Readonly<Record<string, QueryField>>

/** The fields that `q` of an operation knows. */
export function queryFieldsOf({resource}: {readonly resource: string}): QueryFields {
  return resource === 'drives' ? driveQueryFields : fileQueryFields
}

/** What is asked of a field of a label, `labels/ID.FIELD`. */
export const labelQueryField: QueryField = {operators: [...ORDERED, 'in'], value: 'any'}

/** The label and its field in a name such as `labels/ID.FIELD`; `undefined` for another name. */
export function labelFieldName(
  name: string,
): {readonly labelId: string; readonly fieldId: string} | undefined {
  const [, labelId, fieldId] = /^labels\/([^./]+)\.([^./]+)$/u.exec(name) ?? []
  return labelId === undefined || fieldId === undefined ? undefined : {labelId, fieldId}
}

export type QueryFields = Readonly<Record<string, QueryField>>

/** What a query over those fields may ask of the one of that name; `undefined` where there is none. */
export function queryField(fields: QueryFields, name: string): QueryField | undefined {
  if (Object.hasOwn(fields, name)) return fields[name]
  return Object.hasOwn(fields, 'labels') && labelFieldName(name) ? labelQueryField : undefined
}
