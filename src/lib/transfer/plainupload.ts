import {Readable} from 'node:stream'
import type {OperationId} from '#lib/api/operations.js'
import type {CallInput} from '#lib/client/client.js'
import {needsSession} from '#lib/client/upload/outgoing.js'
import {readFileChunks} from '#lib/platform/open-file.js'
import {openContent} from './content.js'
import {TransferError} from './errors.js'
import {sendInSession} from './session.js'
import {throttled} from './throttle.js'
import type {FileRecord, Upload, World} from './types.js'

/** Content for an operation of which nothing is known but its description. */
export interface PlainUpload extends Pick<Upload, 'source' | 'mimeType' | 'onProgress'> {
  readonly operation: OperationId
  readonly input: CallInput
}

/** Where content can be read again. Throws `TransferError` for a stream. */
function pathOf(source: Upload['source']): string {
  if ('path' in source) return source.path
  throw new TransferError(
    'failed',
    'The service takes this content in one request only, for which there is too much of it here.',
    'Put it into a file, and upload that.',
  )
}

/**
 * Uploads content with whatever operation takes some: in one request when it is small, or where the
 * description names no other way, else in a session. Nothing is remembered of it for a later run, and
 * what it made is not looked at. Gives the answer; fails with the errors of the client.
 */
export async function uploadPlain(world: World, upload: PlainUpload): Promise<FileRecord> {
  const {operation, input, source, mimeType, onProgress} = upload
  const {client} = world
  const {simple, resumable} = client.operation(operation).mediaUpload?.protocols ?? {}
  const opened = await openContent(source, at => onProgress?.(at, opened.size))
  const content = throttled(opened, world.throttle, world.signal)
  try {
    const first = await content.piece(0)
    const isWhole = first.total === first.size
    if (!isWhole && !resumable) {
      const path = pathOf(source)
      const open = () => Readable.from(readFileChunks(path))
      return await sent({...input, upload: {open, size: content.size, mimeType}})
    }
    const facts = {size: isWhole ? first.size : content.size, mimeType}
    const described = {...input, upload: {...facts, open: () => first.bytes()}}
    // Without parts the description of the content has no place but a session's beginning.
    const fits = simple !== undefined && (simple.multipart !== false || !input.body)
    if (!resumable || (isWhole && fits && !needsSession(first.size))) return await sent(described)
    const save = async () => undefined
    return await sendInSession({client, operation, input: described, content, save})
  } finally {
    await content.close()
  }

  async function sent(described: CallInput): Promise<FileRecord> {
    return (await client.call(operation, described)) ?? {}
  }
}
