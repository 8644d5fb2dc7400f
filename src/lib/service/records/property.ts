import type {Call} from '#lib/service/call.js'
import {type PropertyRow, visiblePropertiesOf} from '#lib/service/store/files/properties.js'
import {etagOf, link} from './common.js'

/** The Property record (reference: resources.md, Property). */
export function propertyRecord(
  {origin}: Pick<Call, 'origin'>,
  fileId: string,
  {key, visibility, client_id: clientId, value, version}: PropertyRow,
) {
  const selfLink = new URL(link(origin, 'files', fileId, 'properties', key))
  selfLink.searchParams.set('visibility', visibility)
  return {
    kind: 'drive#property',
    etag: etagOf(fileId, key, visibility, clientId, value, version),
    selfLink: selfLink.href,
    key,
    visibility,
    value,
  }
}

/** The properties of a file that the caller can see: the public ones and those of its own app. */
export function propertyRecords(
  call: Pick<Call, 'store' | 'origin' | 'clientId'>,
  fileId: string,
): ReturnType<typeof propertyRecord>[] {
  const rows = visiblePropertiesOf(call.store, [fileId], call.clientId).get(fileId) ?? []
  return rows.map(row => propertyRecord(call, fileId, row))
}
