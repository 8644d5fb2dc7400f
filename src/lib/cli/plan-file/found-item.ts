import {entityGet, isOfEntity} from '#lib/api/entity.js'
import {operation, type OperationId, propertiesOf} from '#lib/api/operations.js'
import {nonEmptyText} from '#lib/api/validate.js'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import type {Extent} from '#lib/cli/changes/change.js'
import type {BatchCall, Page, ParameterTexts} from '#lib/client/client.js'
import type {PlanStep} from './format.js'

/** The item that a request changes, as it is in the service: its request and its state. Pure. */

/** Fields that show whether an item has changed, and its size. */
const FIELDS = ['etag', 'version', 'mimeType', 'fileSize']

/** The same for a shared drive, which has neither an ETag nor a version. */
const DRIVE_FIELDS = ['name', 'hidden', 'restrictions']

/** The request for the item that an operation changes; `undefined` for a new item, and for one without state. */
export function itemRequest(id: OperationId, params: ParameterTexts): BatchCall | undefined {
  const get = entityGet(operation(id))
  if (!get?.response) return undefined
  const known = propertiesOf(get.response, get.document.schemas)
  const own = Object.entries(params).filter(([name]) => isOfEntity(get, name))
  const isNamed = get.parameterOrder.every(name => own.some(([other]) => other === name))
  const names = Object.hasOwn(known, 'etag') ? FIELDS : DRIVE_FIELDS
  const fields = names.filter(name => Object.hasOwn(known, name)).join(',')
  if (!isNamed || fields === '') return undefined
  const named = Object.fromEntries(own.filter(([name]) => Object.hasOwn(get.parameters, name)))
  return {id: get.operationId, input: {params: {...named, fields}}}
}

/** The same text for all requests for the same item. */
export function itemKey({id, input: {params}}: BatchCall): string {
  const names = operation(id).parameterOrder
  return [id, ...names.map(name => String(params[name])), params.visibility ?? ''].join(' ')
}

/** The state of an item for a step: its ETag, or if it has none its version, or the fields of a shared drive. */
export function foundState(record: Page): Pick<PlanStep, 'etag' | 'found'> {
  const etag = nonEmptyText(record.etag)
  if (etag !== undefined) return {etag}
  const version = nonEmptyText(record.version)
  if (version !== undefined) return {found: {version}}
  const fields = DRIVE_FIELDS.filter(name => record[name] !== undefined)
  if (fields.length === 0) return {}
  return {found: Object.fromEntries(fields.map(name => [name, record[name]]))}
}

/** The extent of removing an item; the contents of a folder are not counted. */
export function extentOfItem({mimeType, fileSize}: Page): Extent {
  if (mimeType === FOLDER_TYPE) return {files: 0, folders: 1, bytes: 0, isMore: true}
  return {files: 1, folders: 0, bytes: Number(fileSize ?? 0) || 0}
}
