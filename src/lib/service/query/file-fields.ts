import {
  type fileQueryFields,
  labelFieldName,
  type Literal,
  type Operator,
  type Pairs,
  VISIBILITIES,
} from '#lib/api/query/query.js'
import {readDate} from '#lib/service/records/parts.js'
import {permissionIdFor} from '#lib/service/store/ids.js'
import type {User} from '#lib/service/store/users.js'
import {
  booleanField,
  choiceField,
  comparison,
  mediaTypeField,
  phrases,
  textField,
  timeField,
  titleField,
} from './fields.js'
import {type Bind, NOTHING, type SqlField, type SqlFields} from './sql.js'

/** The caller of a search, and the current time in Unix ms. */
interface Searcher {
  readonly user: User
  readonly clientId?: string
  readonly now: number
  /** The real ID of a folder, from its ID or an alias; `undefined` if the caller cannot see it. */
  visibleFolder(id: string): string | undefined
}

/**
 * The fields of files (reference: protocols.md, section 5), over `files f` and the caller's
 * `user_files u`.
 */
export function fileFields(searcher: Searcher): SqlFields {
  const fields: Readonly<Record<keyof typeof fileQueryFields, SqlField>> = {
    title: titleField('f.title_key', 'f.title_words'),
    fullText: {compare: fullText},
    mimeType: mediaTypeField('f.mime_type'),
    createdDate: timeField('f.created_at'),
    modifiedDate: timeField('f.modified_at'),
    lastViewedByMeDate: timeField('u.viewed_at'),
    sharedWithMeDate: timeField('u.shared_at'),
    trashed: booleanField('f.trashed'),
    starred: booleanField('coalesce(u.starred, FALSE)'),
    sharedWithMe: booleanField('(u.shared_at IS NOT NULL AND f.owner_id IS NOT u.user_id)'),
    parents: {in: (value, bind) => inParents(searcher, value, bind)},
    owners: peopleField(searcher, (person, bind) => ownedBy(bind(person))),
    writers: peopleField(searcher, (person, bind) =>
      openTo(person, searcher.now, bind, "AND p.role <> 'reader'"),
    ),
    readers: peopleField(searcher, (person, bind) => openTo(person, searcher.now, bind)),
    properties: {has: (pairs, bind) => hasProperty(searcher, pairs, bind)},
    visibility: visibilityField(searcher.now),
    'shortcutDetails.targetId': textField('f.shortcut_target_id'),
    labels: labelsField,
  }
  return name =>
    Object.hasOwn(fields, name) ? fields[name as keyof typeof fields] : labelField(name)
}

/**
 * A query for the items in `items`, a query for IDs, and for the items below that inherit their
 * permissions. The plus sign keeps SQLite from building an index of all files first.
 */
export function withInheriting(items: string): string {
  return `WITH RECURSIVE down(id) AS (
    ${items}
    UNION
    SELECT c.id FROM down CROSS JOIN files c ON c.parent_id = down.id WHERE +c.inherits = 1
  ) SELECT id FROM down`
}

function fullText(operator: string, value: Literal, bind: Bind): string | undefined {
  if (operator !== 'contains' || typeof value !== 'string') return undefined
  const found = phrases(value)
  if (found.length > 0) return `f.id IN (${textItems(found, bind)})`
  // Text without words matches nothing; empty text matches everything.
  return value.trim() === '' ? '1 = 1' : NOTHING
}

/** A query for the IDs of files that contain all of these phrases. */
export function textItems(phrases: readonly string[], bind: Bind): string {
  return matching(phrases.map(phrase => `"${phrase.trim()}"`).join(' AND '), bind)
}

/** A query for the IDs of files whose words match an FTS5 pattern. */
export function matching(pattern: string, bind: Bind): string {
  return `SELECT w.file_id AS id FROM text_words t CROSS JOIN file_words w ON w.key = t.rowid
    WHERE t.text_words MATCH ${bind(pattern)}`
}

function inParents(searcher: Searcher, value: Literal, bind: Bind): string | undefined {
  if (typeof value !== 'string') return undefined
  const folder = searcher.visibleFolder(value)
  return folder === undefined ? NOTHING : `f.parent_id IS ${bind(folder)}`
}

/** Supports `in` with an email address or `me`. `items` returns a query for the IDs of this person's items. */
function peopleField({user}: Searcher, items: (person: string, bind: Bind) => string): SqlField {
  return {
    in(value, bind) {
      if (typeof value !== 'string') return undefined
      return `f.id IN (${items(value.toLowerCase() === 'me' ? user.email : value, bind)})`
    },
  }
}

function ownedBy(address: string): string {
  return `SELECT o.id FROM files o WHERE coalesce(o.drive_id, o.owner_id) = (SELECT id FROM users WHERE email = ${address})`
}

/** A query for the items that an email address or a domain owns or has a permission of its own on, directly or inherited. */
function openTo(name: string, now: number, bind: Bind, roles = ''): string {
  const address = bind(name)
  return withInheriting(`
    ${ownedBy(address)}
    UNION
    SELECT p.file_id FROM permissions p
    WHERE (p.id = ${bind(permissionIdFor(name))}
        OR (p.type = 'domain' AND p.domain = ${address} COLLATE NOCASE))
      AND ${isValid(bind(now))} ${roles}`)
}

/** A condition for permissions that have not expired. */
function isValid(now: string): string {
  return `(p.expires_at IS NULL OR p.expires_at > ${now})`
}

/** A condition for a property. Private ones match only if they belong to the caller's app. */
function hasProperty(searcher: Searcher, pairs: Pairs, bind: Bind): string | undefined {
  const {key, value, visibility = 'PRIVATE', ...others} = pairs
  const space = typeof visibility === 'string' ? visibility.toUpperCase() : ''
  if (typeof key !== 'string' || (value !== undefined && typeof value !== 'string'))
    return undefined
  if (!['PRIVATE', 'PUBLIC'].includes(space) || Object.keys(others).length > 0) return undefined
  const clientId = space === 'PRIVATE' ? (searcher.clientId ?? '') : ''
  return `EXISTS (SELECT 1 FROM properties y
    WHERE y.file_id = f.id AND y.key = ${bind(key)} AND y.visibility = ${bind(space)}
      AND y.client_id = ${bind(clientId)}
      ${value === undefined ? '' : `AND y.value = ${bind(value)}`})`
}

/** The visibilities of a file with their conditions. The first one that holds counts. */
const OPEN: ReadonlyArray<readonly [(typeof VISIBILITIES)[number], string]> = [
  ['anyoneCanFind', "p.type = 'anyone' AND p.with_link = 0"],
  ['anyoneWithLink', "p.type = 'anyone'"],
  ['domainCanFind', "p.type = 'domain' AND p.with_link = 0"],
  ['domainWithLink', "p.type = 'domain'"],
]

function visibilityField(now: number): SqlField {
  return {
    compare(operator, value, bind) {
      const moment = bind(now)
      const cases = OPEN.map(([name, condition]) => {
        const items = `SELECT p.file_id FROM permissions p WHERE ${condition} AND ${isValid(moment)}`
        return `WHEN f.id IN (${withInheriting(items)}) THEN '${name}'`
      })
      const widest = `CASE ${cases.join(' ')} ELSE 'limited' END`
      return choiceField(widest, VISIBILITIES).compare!(operator, value, bind)
    },
  }
}

/**
 * Labels in queries (reference: protocols.md, section 5): `'labels/ID' in labels` matches a label, and
 * `labels/ID.FIELD = 'x'` or `'x' in labels/ID.FIELD` a value of one of its fields. A field with
 * several values matches if one of them does.
 */
const labelsField: SqlField = {
  in(value, bind) {
    const id = typeof value === 'string' ? /^labels\/(.+)$/u.exec(value)?.[1] : undefined
    return id === undefined
      ? undefined
      : `EXISTS (SELECT 1 FROM file_labels l WHERE l.file_id = f.id AND l.label_id = ${bind(id)})`
  },
}

/** The field for a name such as `labels/ID.FIELD`; `undefined` for other names. */
function labelField(name: string): SqlField | undefined {
  const names = labelFieldName(name)
  if (!names) return undefined
  const {labelId, fieldId} = names
  const some = (value: Literal, bind: Bind, operator: Operator): string | undefined => {
    const condition = valueCondition(value, operator, bind)
    return (
      condition &&
      `EXISTS (
        SELECT 1 FROM file_labels l, json_each(l.fields) e, json_each(e.value, '$.values') v
        WHERE l.file_id = f.id AND l.label_id = ${bind(labelId)} AND e.key = ${bind(fieldId)}
          AND ${condition})`
    )
  }
  return {
    compare(operator, value, bind) {
      if (operator !== '!=') return some(value, bind, operator)
      const equal = some(value, bind, '=')
      return equal && `NOT ${equal}`
    },
    in: (value, bind) => some(value, bind, '='),
  }
}

/** A condition on a label value: integers and dates support all comparisons, other text only equality. */
function valueCondition(value: Literal, operator: Operator, bind: Bind): string | undefined {
  const type = "json_extract(e.value, '$.valueType')"
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) return undefined
    const condition = comparison('CAST(v.value AS INTEGER)', operator, value, bind)
    return condition && `${type} = 'integer' AND ${condition}`
  }
  if (typeof value !== 'string') return undefined
  if (operator === '=') return `${type} <> 'integer' AND v.value = ${bind(value)}`
  const condition =
    readDate(value) === undefined ? undefined : comparison('v.value', operator, value, bind)
  return condition && `${type} = 'dateString' AND ${condition}`
}
