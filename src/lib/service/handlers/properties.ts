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
import {requireFile} from '#lib/service/store/sharing/access.js'

/**
 * Custom properties of files (reference: operations.md, resources.md). The same key can exist once
 * as public and once as private, so key and `visibility` together identify a property.
 */
export const propertiesHandlers: Handlers<'properties'> = {
  'properties.delete'(call) {
    const {name} = openProperty(call, 'canEdit')
    removeProperty(call, name)
    recordFileChange(call, name)
    return undefined
  },

  'properties.get'(call) {
    const {name, row} = openProperty(call)
    return propertyRecord(call, name.fileId, row)
  },

  'properties.insert'(call) {
    const {key, value, visibility} = call.body
    const fileId = requireFile(call, call.params.fileId, 'canEdit').id
    if (typeof key !== 'string' || key === '') throw required('key')
    const name = {fileId, key, visibility: readVisibility(visibility ?? 'PRIVATE')}
    const row = setProperty(call, name, readValue(value))
    recordFileChange(call, name)
    return propertyRecord(call, fileId, row)
  },

  'properties.list'(call) {
    const fileId = requireFile(call, call.params.fileId).id
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

/** Update and patch: missing fields keep their values, and the key cannot change. */
function changeProperty(call: Call<'properties.patch' | 'properties.update'>) {
  const {name, row} = openProperty(call, 'canEdit')
  const {key, value, visibility} = call.body
  if (key !== undefined && key !== null && key !== row.key) {
    throw invalid(`The key of property ${row.key} cannot be changed. Insert a new property.`, 'key')
  }
  const moved = {...name, visibility: readVisibility(visibility ?? row.visibility)}
  if (moved.visibility !== name.visibility) removeProperty(call, name)
  const changed = setProperty(call, moved, value === undefined ? row.value : readValue(value))
  recordFileChange(call, name)
  return propertyRecord(call, name.fileId, changed)
}

/** The property in the path and query. Throws 404 if the file has no such property. */
function openProperty(
  call: Call<'properties.get' | 'properties.delete' | 'properties.patch'>,
  capability?: 'canEdit',
): {name: PropertyName; row: PropertyRow} {
  const {propertyKey: key, visibility} = call.params
  const fileId = requireFile(call, call.params.fileId, capability).id
  const name = {fileId, key, visibility: readVisibility(visibility ?? 'PRIVATE')}
  const row = findProperty(call, name)
  if (!row) {
    throw notFound('Property', `key = ${key} and visibility = ${name.visibility}`, 'propertyKey')
  }
  return {name, row}
}

/** A visibility in upper case; the request may use any case. Throws 400 for other values. */
function readVisibility(value: unknown): PropertyRow['visibility'] {
  const visibility = typeof value === 'string' ? value.toUpperCase() : undefined
  if (visibility !== 'PRIVATE' && visibility !== 'PUBLIC') throw invalidValue('visibility')
  return visibility
}

/** The value of a property; an empty string if it is missing or `null`. */
function readValue(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function recordFileChange({store, now}: Call, {fileId}: PropertyName): void {
  recordChange(store, now, fileId, 'update', ['properties'])
}
