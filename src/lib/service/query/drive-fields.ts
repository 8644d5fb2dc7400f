import type {driveQueryFields} from '#lib/api/query/query.js'
import type {DriveFilter} from '#lib/service/store/drives.js'
import {booleanField, integerField, timeField, titleField} from './fields.js'
import {readQuery} from './read.js'
import {binder, querySql, type SqlField} from './sql.js'

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
