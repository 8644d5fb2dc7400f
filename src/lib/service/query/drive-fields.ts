import type {DriveFilter} from '../store/drives.js'
import {booleanField, integerField, timeField, titleField} from './fields.js'
import {parseQuery} from './parse.js'
import {binder, type QueryFields, querySql} from './sql.js'

/** The shared drives that the `q` of drives.list asks for; all without one. */
export function driveFilter(q: string | undefined): DriveFilter {
  const query = parseQuery(q)
  const {bind, parameters} = binder()
  return {condition: query ? querySql(query, driveFields, bind) : 'TRUE', parameters}
}

/** What queries over shared drives know (reference: protocols.md, section 5). */
const driveFields: QueryFields = name => {
  const ofTop = (column: string) => `(SELECT f.${column} FROM files f WHERE f.id = d.id)`
  const members = "SELECT count(*) FROM permissions m WHERE m.file_id = d.id AND m.type = 'user'"
  switch (name) {
    case 'name':
      return titleField(ofTop('title_key'), ofTop('title_words'))
    case 'hidden':
      return booleanField(
        'EXISTS (SELECT 1 FROM hidden_drives h WHERE h.drive_id = d.id AND h.user_id = :userId)',
      )
    case 'createdDate':
      return timeField('d.created_at')
    case 'memberCount':
      return integerField(`(${members})`)
    case 'organizerCount':
      return integerField(`(${members} AND m.role = 'organizer')`)
    default:
      return undefined
  }
}
