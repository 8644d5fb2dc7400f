import {momentIn} from '#lib/api/moment.js'
import {readTime} from '#lib/api/query/parse.js'
import {queryField, type QueryFields} from '#lib/api/query/query.js'
import {ownProperty} from '#lib/platform/values.js'

/** Query fields by common alias, including the names in newer versions of the API. */
const ALIASES: Readonly<Record<string, string>> = {
  name: 'title',
  text: 'fullText',
  content: 'fullText',
  type: 'mimeType',
  modified: 'modifiedDate',
  modifiedTime: 'modifiedDate',
  created: 'createdDate',
  createdTime: 'createdDate',
  viewed: 'lastViewedByMeDate',
  viewedByMeTime: 'lastViewedByMeDate',
  sharedWithMeTime: 'sharedWithMeDate',
  owner: 'owners',
  writer: 'writers',
  reader: 'readers',
  parent: 'parents',
}

const QUOTED = /('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")/su

/**
 * The query in the service's syntax. Replaces aliases of fields, `owner = 'x'` by `'x' in owners`, and
 * times such as `'7d'` or `'today'` by RFC 3339 times. `now` is in Unix milliseconds.
 */
export function everydayQuery(text: string, fields: QueryFields, now: number): string {
  // Quoted strings have odd indexes.
  const parts = text.split(QUOTED)
  const plain = parts.map((part, index) => (index % 2 === 0 ? withFields(part, fields) : part))
  for (let at = 1; at < plain.length; at += 2) {
    const [before = '', field = '', operator = ''] = COMPARISON.exec(plain[at - 1]!) ?? []
    const known = queryField(fields, field)
    if (operator === '=' && known?.operators.every(one => one === 'in')) {
      plain[at - 1] = plain[at - 1]!.slice(0, -before.length)
      plain[at] = `${plain[at]} in ${field}`
    } else if (known?.value === 'time') plain[at] = timeText(plain[at]!, now)
  }
  return plain.join('')
}

/** A field and an operator just before a quoted string. */
const COMPARISON = /(?<![\w.])([A-Za-z][\w.]*)\s*([<>]=?|!?=)\s*$/u

function withFields(text: string, fields: QueryFields): string {
  return text.replace(/(?<![\w./])[A-Za-z]\w*(?![\w./])/gu, word => {
    const field = ownProperty(ALIASES, word)
    const isAlias = field !== undefined && !queryField(fields, word) && queryField(fields, field)
    return isAlias ? field : word
  })
}

function timeText(quoted: string, now: number): string {
  const text = quoted.slice(1, -1)
  const moment = readTime(text) === undefined ? momentIn(text, now) : undefined
  return moment === undefined ? quoted : `'${new Date(moment).toISOString()}'`
}
