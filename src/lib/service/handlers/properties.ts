import type {Call, Handlers} from '#lib/service/call.js'
import {invalid, invalidValue, notFound, required} from '#lib/service/errors.js'
import {etagOf, link} from '#lib/service/records/common.js'
import {propertyRecord, propertyRecords} from '#lib/service/records/parts.js'
import {recordChange} from '#lib/service/store/changes.js'
import {
  findProperty,
  type PropertyName,
  type PropertyRow,
  removeProperty,
  setProperty,
} from '#lib/service/store/files/properties.js'
import {openFile} from '#lib/service/store/sharing/access.js'

/**
 * Custom properties of files (reference: operations.md, resources.md). A key may exist publicly and
 * privately at once, so `visibility` says which one is meant.
 */
export const propertiesHandlers: Handlers<'properties'> = {
  'properties.delete'(call) {
    const {name} = openProperty(call, 'canEdit')
    removeProperty(call, name)
    noteChange(call, name)
    return undefined
  },

  'properties.get'(call) {
    const {name, row} = openProperty(call)
    return propertyRecord(call, name.fileId, row)
  },

  'properties.insert'(call) {
    const {key, value, visibility} = call.body
    const fileId = openFile(call, call.params.fileId, 'canEdit').id
    if (typeof key !== 'string' || key === '') throw required('key')
    const name = {fileId, key, visibility: readVisibility(visibility ?? 'PRIVATE')}
    const row = setProperty(call, name, readValue(value))
    noteChange(call, name)
    return propertyRecord(call, fileId, row)
  },

  'properties.list'(call) {
    const fileId = openFile(call, call.params.fileId).id
    const items = propertyRecords(call, fileId)
    return {
      kind: 'drive#propertyList',
      etag: etagOf(items.map(({etag}) => etag)),
      selfLink: link(call.origin, 'files', fileId, 'properties'),
      items,
    }
  },

  'properties.patch': changeProperty,
  'properties.update': changeProperty,
}

/** Both ways to change one leave out what is not sent: a key stays, so there is little else. */
function changeProperty(call: Call<'properties.patch' | 'properties.update'>) {
  const {name, row} = openProperty(call, 'canEdit')
  const {key, value, visibility} = call.body
  if (key !== undefined && key !== null && key !== row.key) {
    throw invalid(
      `The key of a property cannot be changed from ${row.key}. Insert a new one.`,
      'key',
    )
  }
  const moved = {...name, visibility: readVisibility(visibility ?? row.visibility)}
  if (moved.visibility !== name.visibility) removeProperty(call, name)
  const changed = setProperty(call, moved, value === undefined ? row.value : readValue(value))
  noteChange(call, name)
  return propertyRecord(call, name.fileId, changed)
}

function openProperty(
  call: Call<'properties.get' | 'properties.delete' | 'properties.patch'>,
  capability?: 'canEdit',
): {name: PropertyName; row: PropertyRow} {
  const {propertyKey: key, visibility: wished} = call.params
  const fileId = openFile(call, call.params.fileId, capability).id
  const name = {fileId, key, visibility: readVisibility(wished ?? 'PRIVATE')}
  const row = findProperty(call, name)
  if (!row) {
    throw notFound('Property', `key = ${key} and visibility = ${name.visibility}`, 'propertyKey')
  }
  return {name, row}
}

/** In any letter case; 400 for any other word. */
function readVisibility(value: unknown): PropertyRow['visibility'] {
  const visibility = typeof value === 'string' ? value.toUpperCase() : undefined
  if (visibility !== 'PRIVATE' && visibility !== 'PUBLIC') throw invalidValue('visibility')
  return visibility
}

/** A property without a value has an empty one. */
function readValue(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function noteChange({store, now}: Call, {fileId}: PropertyName): void {
  recordChange(store, now, fileId, 'update', ['properties'])
}
