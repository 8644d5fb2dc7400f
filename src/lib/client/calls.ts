import {parseFields, select} from '#lib/api/fields.js'
import {hasRecord, type Operation, type OperationId} from '#lib/api/operations.js'
import {textOf} from '#lib/api/validate.js'
import {JSON_TYPE} from '#lib/api/wire.js'
import type {BatchCall, CallInput, Page, ParameterTexts, PlannedInput} from './client.js'
import {isIdTaken, isNotFound} from './errors.js'
import {eachPage, recordsOf} from './pages.js'
import {type Outbound, readOptional, readRecord, type Sender} from './request.js'
import {type Repeat, repeatOf} from './retry/policy.js'
import {chooseUpload, openUpload, uploadHeaders} from './upload/outgoing.js'
import {requestUrl, type UploadType} from './url.js'

/** One operation: its request, and how it is sent until it is done. */

/** The request of an operation as far as it is known before content is opened; `type` says how that goes up. */
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
    /** The answer is content: where there is JSON as well, it has to be asked for. */
    content: Boolean(method.supportsMediaDownload && (!method.response || params.alt === 'media')),
  }
}

/** The request of an operation; content is opened here, so each attempt needs one of its own. */
export function requestOf(baseUrl: string, method: Operation, input: CallInput): Outbound {
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

/** Whether a call may be sent again when nobody knows if it was carried out. */
export function repeats({id, input: {body, upload}}: BatchCall, {httpMethod}: Operation): Repeat {
  const hasId = textOf(body?.id) !== undefined
  return repeatOf(id, httpMethod, {hasId, hasContent: upload !== undefined})
}

/**
 * Sends an operation and returns the JSON of its response. What is not safe to repeat is repeated only after a
 * look at what an earlier attempt did: a new file is known by its ID, new content by its MD5, a shared drive by its name.
 */
export async function callOperation(
  sender: Sender,
  id: OperationId,
  input: CallInput,
): Promise<Page | undefined> {
  const method = sender.operation(id)
  const {params, body, upload} = input
  const newId = textOf(body?.id)
  const fields = textOf(params.fields)

  async function exchange(request: Outbound): Promise<Page | undefined> {
    const response = await sender.send(request)
    const read = hasRecord(method) ? readRecord : readOptional
    return read(response, sender.reading(request.url))
  }

  /** The file, if it is what was sent. */
  async function found(fileId: string): Promise<Page | undefined> {
    const params = readBack(fileId, fields)
    const get = requestOf(sender.baseUrl, sender.operation('files.get'), {params})
    const record = (await exchange(get)) ?? {}
    return isSame(record, {body, md5: upload?.md5?.()}) ? narrowed(record, fields) : undefined
  }

  /** What an earlier attempt made, whose ID, or whose request's ID, is taken by now. */
  async function made(): Promise<Page | undefined> {
    if (id !== 'drives.insert') return newId === undefined ? undefined : found(newId)
    const list = (params: CallInput['params']) =>
      exchange(requestOf(sender.baseUrl, sender.operation('drives.list'), {params}))
    const drive = await onlyDriveNamed(eachPage(list, {maxResults: '100'}), body?.name)
    return drive && narrowed(drive, fields)
  }

  const replaces = id === 'files.update' && upload?.md5 !== undefined
  const repeat = replaces ? 'safe' : repeats({id, input}, method)
  return sender.retry({repeat}, async ({isDoubtful}) => {
    const mayBeDone = isDoubtful || input.mayBeDone
    // Without an MD5 the content was not even read to its end.
    if (mayBeDone && replaces && upload.md5?.() !== undefined) {
      const record = await found(textOf(params.fileId)!)
      if (record) return record
    }
    try {
      return await exchange(requestOf(sender.baseUrl, method, input))
    } catch (error) {
      if (mayBeDone && method.httpMethod === 'DELETE' && isNotFound(error)) return undefined
      const record = mayBeDone && isIdTaken(error) ? await made() : undefined
      if (record) return record
      throw error
    }
  })
}

/** Whether `record` has the title, and the content by its MD5 (hexadecimal) or without content the type, that were sent. */
export function isSame(
  record: Page,
  {body = {}, md5}: {readonly body?: CallInput['body']; readonly md5?: string},
): boolean {
  if (md5 !== undefined && record.md5Checksum !== md5) return false
  const names = md5 === undefined ? ['title', 'mimeType'] : ['title']
  return names.every(name => body[name] === undefined || body[name] === record[name])
}

/** What a selection of fields must have beside what was asked for, to tell whose file it is. */
const TELLING = 'id,title,mimeType,md5Checksum,fileSize'

/** The selection, widened so that `isSame` can decide; `undefined` selects everything. */
export function widened(fields: string | undefined): string | undefined {
  return fields && `${fields},${TELLING}`
}

/** The parameters that read a file back, with what was asked for and what tells whose it is. */
export function readBack(fileId: string, fields: string | undefined): ParameterTexts {
  const wide = widened(fields)
  return {fileId, supportsAllDrives: 'true', ...(wide && {fields: wide})}
}

/** What is left of a record that was read with `widened(fields)`. */
export function narrowed(record: Page, fields: string | undefined): Page {
  return fields ? (select(parseFields(fields), record) as Page) : record
}

/**
 * The shared drive of a name, if there is exactly one: the refusal of a repeated `requestId` does not say which drive
 * the first request made (reference: protocols.md, section 13). Throws `ProtocolError` for what is no list of drives.
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
