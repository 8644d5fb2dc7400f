import {addFields, parseFields, select} from '#lib/api/fields.js'
import {hasRecord, type Operation, type OperationId} from '#lib/api/operations.js'
import {isReached} from '#lib/api/reached.js'
import {isObject, nonEmptyText} from '#lib/api/validate.js'
import {JSON_TYPE} from '#lib/api/wire.js'
import type {BatchCall, CallInput, Page, ParameterTexts, PlannedInput} from './client.js'
import {isIdTaken, isNotFound, ServiceError} from './errors.js'
import {eachPage, recordsOf} from './pages.js'
import {readOptional, readRecord} from './read-response.js'
import type {Outbound, Sender} from './request.js'
import {type Repeat, repeatOf} from './retry/policy.js'
import {chooseUpload, openUpload, uploadHeaders} from './upload/outgoing.js'
import {requestUrl, type UploadType} from './url.js'

/** Builds the request of an operation and sends it with retries. */

/** The request of an operation without its content; `type` is the upload protocol. */
export function plannedRequest(
  baseUrl: string,
  method: Operation,
  {params, body, upload, ifMatch}: PlannedInput,
  type?: UploadType,
) {
  return {
    method: method.httpMethod,
    url: requestUrl(baseUrl, method, params, type),
    headers: {
      ...(body && (!type || type === 'resumable') && {'content-type': JSON_TYPE}),
      ...(type && upload && uploadHeaders(type, upload)),
      ...condition(ifMatch),
    },
    body,
    /** Whether the response is content. If the operation can also return JSON, `alt=media` asks for content. */
    content: Boolean(method.supportsMediaDownload && (!method.response || params.alt === 'media')),
  }
}

/** The request of an operation. It opens the content, so each attempt needs a new request. */
export function buildRequest(baseUrl: string, method: Operation, input: CallInput): Outbound {
  const {body, upload, ifMatch} = input
  const type = upload && chooseUpload(body)
  const planned = plannedRequest(baseUrl, method, input, type)
  if (!type) return {...planned, body: body && JSON.stringify(body)}
  const content = openUpload(type, upload, body)
  return {...planned, ...content, headers: {...content.headers, ...condition(ifMatch)}}
}

function condition(tag: string | undefined): Readonly<Record<string, string>> {
  return tag === undefined ? {} : {'if-match': tag}
}

/** Whether a call may be sent again when an earlier attempt may have been carried out. */
export function repeatOfCall(
  {id, input: {body, upload}}: BatchCall,
  {httpMethod}: Operation,
): Repeat {
  const hasId = nonEmptyText(body?.id) !== undefined
  return repeatOf(id, httpMethod, {hasId, hasContent: upload !== undefined})
}

/**
 * Sends an operation and returns the JSON of its response. A call that is unsafe to repeat is repeated only
 * after checking the result of the earlier attempt: a new file by its ID, new content by its MD5, a shared
 * drive by its name. If the service refuses a repeated change of a file because the file has changed, and it is
 * as the request leaves it, the earlier attempt has changed it.
 */
export async function callOperation(
  sender: Sender,
  id: OperationId,
  input: CallInput,
): Promise<Page | undefined> {
  const method = sender.operation(id)
  const {params, body, upload} = input
  const newId = nonEmptyText(body?.id)
  const fields = nonEmptyText(params.fields)

  async function exchange(request: Outbound): Promise<Page | undefined> {
    const response = await sender.send(request)
    const read = hasRecord(method) ? readRecord : readOptional
    return read(response, sender.reading(request.url))
  }

  /** The file with this ID, if it matches the request. */
  async function found(fileId: string): Promise<Page | undefined> {
    const params = readBack(fileId, fields)
    const get = buildRequest(sender.baseUrl, sender.operation('files.get'), {params})
    const record = (await exchange(get)) ?? {}
    return matchesSent(record, {body, md5: upload?.md5?.()})
      ? withRequestedFields(record, fields)
      : undefined
  }

  /** The file or shared drive that an earlier attempt created, when its ID or request ID is taken. */
  async function made(): Promise<Page | undefined> {
    if (id !== 'drives.insert') return newId === undefined ? undefined : found(newId)
    const list = (params: CallInput['params']) =>
      exchange(buildRequest(sender.baseUrl, sender.operation('drives.list'), {params}))
    const drive = await onlyDriveNamed(eachPage(list, {maxResults: '100'}), body?.name)
    return drive && withRequestedFields(drive, fields)
  }

  /** The file, or its reference to a folder, if it is already as the request leaves it. */
  async function reached(): Promise<Page | undefined> {
    const {fileId, folderId} = params
    if (id === 'parents.insert' && fileId !== undefined && newId !== undefined) {
      return reference('parents.get', {fileId, parentId: newId})
    }
    if (id === 'children.insert' && folderId !== undefined && newId !== undefined) {
      return reference('children.get', {folderId, childId: newId})
    }
    if (!id.startsWith('files.') || fileId === undefined) return undefined
    const get = {params: {fileId, supportsAllDrives: 'true'}}
    const record = await exchange(buildRequest(sender.baseUrl, sender.operation('files.get'), get))
    const isDone = record && isReached({id, params, body, md5: upload?.md5?.()}, record)
    return isDone ? withRequestedFields(record, fields) : undefined
  }

  /** The reference that this operation reads; `undefined` if it does not exist. */
  async function reference(
    get: OperationId,
    params: CallInput['params'],
  ): Promise<Page | undefined> {
    try {
      return await exchange(buildRequest(sender.baseUrl, sender.operation(get), {params}))
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  /** The result of an earlier attempt, if the error shows that it was carried out. */
  const done = async (error: unknown) =>
    isStale(error) ? reached() : isIdTaken(error) ? made() : undefined

  const replaces = id === 'files.update' && upload?.md5 !== undefined
  const repeat = replaces ? 'safe' : repeatOfCall({id, input}, method)
  return sender.retry({repeat}, async ({isDoubtful}) => {
    const mayBeDone = isDoubtful || input.mayBeDone
    // Without an MD5 the content was never read to its end, so no attempt can have completed.
    if (mayBeDone && replaces && upload.md5?.() !== undefined) {
      const record = await found(nonEmptyText(params.fileId)!)
      if (record) return record
    }
    try {
      return await exchange(buildRequest(sender.baseUrl, method, input))
    } catch (error) {
      if (mayBeDone && method.httpMethod === 'DELETE' && isNotFound(error)) return undefined
      const record = mayBeDone ? await done(error) : undefined
      if (record) return record
      throw error
    }
  })
}

/** Whether the service refused a change because the file is not as the request expects: its ETag or its folders. */
export function isStale(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false
  const {status, details} = error
  const isMoved = ['addParents', 'removeParents', 'id'].includes(String(details.location))
  return status === 412 || (status === 400 && isMoved)
}

/**
 * Whether `record` matches the request: the title, and the MD5 (hexadecimal) or, without content, the type. A file in
 * the trash never does: someone has removed it since.
 */
export function matchesSent(
  record: Page,
  {body = {}, md5}: {readonly body?: CallInput['body']; readonly md5?: string},
): boolean {
  if (isObject(record.labels) && record.labels.trashed === true) return false
  if (md5 !== undefined && record.md5Checksum !== md5) return false
  const names = md5 === undefined ? ['title', 'mimeType'] : ['title']
  return names.every(name => body[name] === undefined || body[name] === record[name])
}

/** Fields that `matchesSent` needs in addition to the selected ones. */
const TELLING = ['id', 'title', 'mimeType', 'md5Checksum', 'fileSize']

/** A field selection plus the fields that `matchesSent` needs; `undefined` selects all fields. */
export function withNeededFields(fields: string | undefined): string | undefined {
  return fields && addFields(fields, TELLING)
}

/** Parameters to read a file back with the selected fields and those that `matchesSent` needs. */
export function readBack(fileId: string, fields: string | undefined): ParameterTexts {
  const wide = withNeededFields(fields)
  return {fileId, supportsAllDrives: 'true', ...(wide && {fields: `${wide},labels(trashed)`})}
}

/** A record read with `widened(fields)`, reduced to `fields`. */
export function withRequestedFields(record: Page, fields: string | undefined): Page {
  return fields ? (select(parseFields(fields), record) as Page) : record
}

/**
 * The shared drive with a name if there is exactly one, else `undefined`. When a `requestId` is repeated, the
 * service's error does not say which drive the first request created (reference: protocols.md, section 13).
 * Throws `ProtocolError` for a malformed list.
 */
export async function onlyDriveNamed(
  pages: AsyncIterable<Page>,
  name: unknown,
): Promise<Page | undefined> {
  const found: Page[] = []
  for await (const page of pages) {
    found.push(...recordsOf(page).filter(drive => drive.name === name))
  }
  return found.length === 1 ? found[0] : undefined
}
