import {hasRecord, type Operation, type OperationId} from '#lib/api/operations.js'
import {textOf} from '#lib/api/validate.js'
import {JSON_TYPE} from '#lib/api/wire.js'
import type {CallInput, Page} from './client.js'
import {onlyDriveNamed} from './drives.js'
import {eachPage} from './pages.js'
import {isIdTaken, isNotFound, isSame, narrowed, readBack} from './readback.js'
import {type Outbound, readOptional, readRecord, type Sender} from './request.js'
import {repeatOf} from './retry/policy.js'
import {chooseUpload, outgoing} from './upload/outgoing.js'
import {requestUrl} from './url.js'

/** One operation, sent until it is done. */

/** The request of an operation; content is opened here, so each attempt needs one of its own. */
export function requestOf(
  baseUrl: string,
  method: Operation,
  {params, body, upload}: CallInput,
): Outbound {
  const common = {method: method.httpMethod}
  if (upload) {
    const type = chooseUpload(body)
    const url = requestUrl(baseUrl, method, params, type)
    return {...common, url, ...outgoing(type, upload, body)}
  }
  const url = requestUrl(baseUrl, method, params)
  if (!body) return {...common, url}
  return {...common, url, headers: {'content-type': JSON_TYPE}, body: JSON.stringify(body)}
}

/**
 * Sends an operation and gives its answer's JSON. What is not safe to repeat is repeated only after
 * a look at what an earlier attempt did: a new file is known by its ID, new content by its MD5, a
 * shared drive by its name.
 */
export async function callOperation(
  sender: Sender,
  id: OperationId,
  input: CallInput,
): Promise<Page | undefined> {
  const method = sender.operation(id)
  const {params, body, upload} = input
  const newId = textOf(body?.id)
  const repeat = repeatOf(id, method.httpMethod, {
    hasId: newId !== undefined,
    hasContent: upload !== undefined,
  })
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
  return sender.retry({repeat: replaces ? 'safe' : repeat}, async ({isDoubtful}) => {
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
