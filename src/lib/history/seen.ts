import {parseFields, type Selection} from '#lib/api/fields.js'
import type {BatchCall, Client, Outcome, Page} from '#lib/client/client.js'
import {isObject} from '#lib/platform/values.js'
import {textOf} from './reversal.js'

/**
 * The records that a command has read, so that the history knows the state before a change without a request. Only
 * their fields that a change can restore are kept, of at most `LIMIT` records.
 */
export interface SeenRecords {
  /** Takes over the records of a response. */
  saw(call: BatchCall, response: Page | undefined): void
  /** The fields that a call would read, if all of them are known. */
  find(call: BatchCall): Page | undefined
  /** Forgets the record that a call would read. */
  forget(call: BatchCall): void
}

const LIMIT = 10_000

/** The fields of a file that a change can restore. Records of other kinds are small, and kept whole. */
const FILE_FIELDS = [
  ...['id', 'title', 'description', 'mimeType', 'parents', 'labels', 'explicitlyTrashed'],
  ...['properties', 'modifiedDate', 'lastViewedByMeDate', 'folderColorRgb', 'originalFilename'],
  ...['copyRequiresWriterPermission', 'writersCanShare', 'inheritedPermissionsDisabled'],
  ...['contentRestrictions', 'linkShareMetadata'],
]

/** A record with the fields that were requested; a requested field that is missing has no value. */
interface Known {
  readonly record: Page
  /** Empty: all fields. */
  readonly fields: Selection
}

export function createSeenRecords(): SeenRecords {
  const all = new Map<string, Known>()

  function put(key: string, record: Page, fields: Selection): void {
    const isFile = key.startsWith('file ')
    const next = {record: isFile ? pick(record, FILE_FIELDS) : record, fields}
    const known = all.get(key)
    all.delete(key)
    all.set(key, known && !isWhole(fields) ? merged(known, next) : next)
    if (all.size > LIMIT) all.delete(all.keys().next().value!)
  }

  /** The properties of a file, also from its record. */
  function findProperties({input: {params}}: BatchCall): Page | undefined {
    const fileId = textOf(params.fileId)
    const listed = all.get(`properties ${fileId}`)
    if (listed) return listed.record
    const file = all.get(`file ${fileId}`)
    if (!file || !includesFields(file.fields, {properties: {}})) return undefined
    return {items: file.record.properties ?? []}
  }

  return {
    saw(call, response) {
      const fields = fieldsOf(call)
      if (!response || !fields) return
      const key = keyOf(call)
      if (key !== undefined) {
        const isPart =
          response.nextPageToken !== undefined || call.input.params.pageToken !== undefined
        if (!isPart) put(key, response, fields)
      }
      const {items} = response
      if (!Array.isArray(items)) return
      const itemFields = isWhole(fields) ? fields : (fields.items ?? fields['*'])
      if (!itemFields) return
      for (const item of items as Page[]) {
        const itemKey = keyOfItem(call, item)
        if (itemKey !== undefined) put(itemKey, item, itemFields)
      }
    },
    find(call) {
      if (call.id === 'properties.list') return findProperties(call)
      const key = keyOf(call)
      const known = key === undefined ? undefined : all.get(key)
      // The ID is known, and the tag is not part of the state.
      const {id: _, etag: __, ...wanted} = fieldsOf(call) ?? {}
      if (!known || !includesFields(known.fields, wanted)) return undefined
      return isWhole(wanted) ? known.record : pick(known.record, Object.keys(wanted))
    },
    forget(call) {
      const key = keyOf(call)
      if (key !== undefined) all.delete(key)
    },
  }
}

/** The same client; `saw` receives what it reads. */
export function withSeenRecords(client: Client, {saw}: Pick<SeenRecords, 'saw'>): Client {
  return {
    ...client,
    async call(id, input) {
      const response = await client.call(id, input)
      saw({id, input}, response)
      return response
    },
    async *pages(id, input) {
      for await (const page of client.pages(id, input)) {
        saw({id, input}, page)
        yield page
      }
    },
    async batch(calls) {
      const outcomes = await client.batch(calls)
      for (const [index, call] of calls.entries()) sawOutcome(call, outcomes?.[index])
      return outcomes
    },
  }

  function sawOutcome(call: BatchCall, outcome: Outcome | undefined): void {
    if (outcome && 'record' in outcome) saw(call, outcome.record)
  }
}

/** The key of the record that a call reads; `undefined` for other calls. */
function keyOf({id, input: {params}}: BatchCall): string | undefined {
  const file = textOf(params.fileId)
  switch (id) {
    case 'files.get':
      return params.alt === 'media' ? undefined : `file ${file}`
    case 'files.listLabels':
      return `labels ${file}`
    case 'permissions.list':
      return `permissions ${file}`
    case 'permissions.get':
      return `permission ${file} ${textOf(params.permissionId)}`
    case 'properties.list':
      return `properties ${file}`
    case 'revisions.get':
      return `revision ${file} ${textOf(params.revisionId)}`
    case 'drives.get':
      return `drive ${textOf(params.driveId)}`
    default:
      return undefined
  }
}

/** The key of a record in a list. */
function keyOfItem({id, input: {params}}: BatchCall, item: unknown): string | undefined {
  // The command itself reports invalid records.
  const name = isObject(item) ? textOf(item.id) : ''
  if (name === '') return undefined
  switch (id) {
    case 'files.list':
      return `file ${name}`
    case 'permissions.list':
      return `permission ${textOf(params.fileId)} ${name}`
    case 'revisions.list':
      return `revision ${textOf(params.fileId)} ${name}`
    case 'drives.list':
      return `drive ${name}`
    default:
      return undefined
  }
}

/** The requested fields; `undefined` if the selection is invalid. */
function fieldsOf({input: {params}}: BatchCall): Selection | undefined {
  if (typeof params.fields !== 'string' || params.fields === '') return {}
  try {
    return parseFields(params.fields)
  } catch {
    return undefined
  }
}

const isWhole = (fields: Selection): boolean => Object.keys(fields).length === 0 || '*' in fields

/** Whether `known` fields include all `wanted` ones. */
export function includesFields(known: Selection, wanted: Selection): boolean {
  if (isWhole(known)) return true
  if (isWhole(wanted)) return false
  return Object.entries(wanted).every(
    ([name, below]) => Object.hasOwn(known, name) && includesFields(known[name]!, below),
  )
}

/** A record with the fields of a newer one. */
function merged(old: Known, next: Known): Known {
  const names = Object.keys(next.fields)
  const record: Record<string, unknown> = {...old.record}
  const fields: Record<string, Selection> = {...old.fields}
  for (const name of names) {
    const [before, now] = [record[name], next.record[name]]
    if (now === undefined) delete record[name]
    else record[name] = isObject(before) && isObject(now) ? {...before, ...now} : now
    const isJoined = isObject(before) && isObject(now) && !isWhole(next.fields[name]!)
    if (isWhole(old.fields)) continue
    const knownBelow = fields[name]
    fields[name] =
      isJoined && knownBelow && !isWhole(knownBelow)
        ? {...knownBelow, ...next.fields[name]}
        : next.fields[name]!
  }
  return {record, fields: isWhole(old.fields) ? old.fields : fields}
}

function pick(record: Page, names: readonly string[]): Page {
  return Object.fromEntries(
    names.filter(name => record[name] !== undefined).map(name => [name, record[name]]),
  )
}
