import {Readable} from 'node:stream'
import type {OperationId} from '#lib/api/operations.js'
import {nonEmptyText} from '#lib/api/validate.js'
import {EDITOR_TYPE_PREFIX} from '#lib/api/wire.js'
import {withNeededFields, withRequestedFields} from '#lib/client/calls.js'
import type {CallInput} from '#lib/client/client.js'
import {needsSession} from '#lib/client/upload/outgoing.js'
import {readFileChunks} from '#lib/platform/open-file.js'
import {printable} from '#lib/platform/sanitize.js'
import {type Identity, isSameSource, type UploadEntry} from '#lib/transfer/journal/entry.js'
import {type Claim, forgetDone, isOver, type Journal} from '#lib/transfer/journal/journal.js'
import {openContent} from './content.js'
import {TransferError} from './errors.js'
import {withReservedId} from './ids.js'
import {sendInSession} from './session.js'
import {HEAD_SIZE, sniffType} from './sniff-type.js'
import {throttled} from './throttle.js'
import {type FileRecord, type Piece, type Upload, type UploadContent, type World} from './types.js'

/**
 * Uploads content: small content in one request, larger content in a session, which another process can
 * resume. Returns the file's record once the service has all content with the right MD5. A new file is
 * created only once, despite retries. Throws `TransferError` and the errors of the client.
 */
export async function uploadFile(world: World, upload: Upload): Promise<FileRecord> {
  const opened: UploadContent = await openContent(upload.source, at =>
    upload.onProgress?.(at, opened.size),
  )
  const content = throttled(opened, world.throttle, world.signal)
  try {
    const first = await content.piece(0)
    const isSmall = first.total === first.size && !needsSession(first.size)
    const typed = {...upload, mimeType: await typeOf(world.client, upload, opened)}
    const job: Job = {world, upload: typed, content, whole: isSmall ? first : undefined}
    const claim = await claimOf(job)
    try {
      const record = await remembered(job, claim)
      await checkContent(record, content)
      return withRequestedFields(record, nonEmptyText(upload.params.fields))
    } finally {
      await claim?.release()
    }
  } finally {
    await content.close()
  }
}

interface Job {
  readonly world: World
  readonly upload: Upload
  readonly content: UploadContent
  /** All content, if it is sent in one request. */
  readonly whole?: Piece
}

async function claimOf({world, upload, content, whole}: Job): Promise<Claim | undefined> {
  const {journal} = world
  if (!journal || !content.identity || (whole && upload.remembersLargeOnly)) return undefined
  return journal.claim(entryOf(journal, upload, content.identity))
}

/** The entry for an upload that starts now. */
function entryOf(
  {profile, baseUrl}: Journal,
  {operation, params, body, mimeType}: Upload,
  source: Identity,
): UploadEntry {
  return {kind: 'upload', profile, baseUrl, operation, params, body, mimeType, source, done: 0}
}

/** Uploads with the state of an earlier run; from the start if the service no longer accepts that. */
async function remembered(job: Job, claim: Claim | undefined): Promise<FileRecord> {
  const before = await usable(job, claim)
  if (!before) return fresh(job, claim)
  try {
    return await attempt(job, claim, before, true)
  } catch (error) {
    if (!isOver(error)) throw error
    return fresh(job, claim)
  }
}

/** The entry of an earlier run, unless the source has changed since. */
async function usable(job: Job, claim: Claim | undefined): Promise<UploadEntry | undefined> {
  const entry = claim?.entry
  if (entry?.kind !== 'upload') return undefined
  if (job.content.identity && isSameSource(entry.source, job.content.identity)) return entry
  if (entry.session !== undefined) {
    await job.world.client.uploads.cancel(entry.session).catch(() => undefined)
  }
  await claim?.forget()
  return undefined
}

async function fresh(job: Job, claim: Claim | undefined): Promise<FileRecord> {
  const {world, upload} = job
  const send = (id: string | undefined) => attempt(job, claim, {id, session: undefined}, false)
  if (upload.operation !== 'files.insert' || upload.id !== undefined) return send(upload.id)
  return withReservedId(world.client, upload, send)
}

async function attempt(
  {world, upload, content, whole}: Job,
  claim: Claim | undefined,
  {id, session}: Pick<UploadEntry, 'id' | 'session'>,
  mayBeDone: boolean,
): Promise<FileRecord> {
  const {operation, params} = upload
  const {client, journal} = world
  const body = id === undefined ? upload.body : {...upload.body, id}
  const save = async (address: string | undefined, done: number): Promise<void> => {
    if (!claim || !journal || !content.identity) return
    const entry = entryOf(journal, upload, content.identity)
    await claim.save({...entry, id, session: address, done})
  }
  const fields = withNeededFields(nonEmptyText(params.fields))
  const input: CallInput = {
    params: fields === undefined ? params : {...params, fields},
    body,
    upload: {
      open: () => (whole ?? {bytes: () => Buffer.alloc(0)}).bytes(),
      size: whole?.size ?? content.size,
      mimeType: upload.mimeType,
      md5: () => content.md5(),
    },
    // A reserved ID may also be known to another process that uploads the same file.
    mayBeDone: mayBeDone || upload.id !== undefined,
    ...(upload.ifMatch !== undefined && {ifMatch: upload.ifMatch}),
    ...(upload.history && {history: upload.history}),
  }
  try {
    if (!mayBeDone) await save(undefined, 0)
    const record = whole
      ? ((await client.call(operation, input)) ?? {})
      : await sendInSession({client, operation, input, content, session, save})
    upload.onProgress?.(content.size ?? 0, content.size)
    await forgetDone(world, claim)
    return record
  } catch (error) {
    if (isOver(error)) await claim?.forget()
    throw error
  }
}

/** The media type of content: as given, else that of the file it replaces, else from its bytes. */
async function typeOf(
  client: World['client'],
  upload: Upload,
  content: UploadContent,
): Promise<string | undefined> {
  return upload.mimeType ?? (await typeBefore(client, upload)) ?? sniffType(await headOf(content))
}

/** The first bytes of content. */
async function headOf(content: UploadContent): Promise<Buffer> {
  const bytes = (await content.piece(0)).bytes()
  if (Buffer.isBuffer(bytes)) return bytes.subarray(0, HEAD_SIZE)
  for await (const chunk of bytes) return (chunk as Buffer).subarray(0, HEAD_SIZE)
  return Buffer.alloc(0)
}

/**
 * The media type of the file whose content is replaced: without a type the service would fall back to a
 * generic one. `undefined` for a new file, and for a document.
 */
export async function typeBefore(
  client: World['client'],
  {operation, params}: Pick<Upload, 'operation' | 'params'>,
): Promise<string | undefined> {
  if (operation !== 'files.update') return undefined
  const {fileId = '', supportsAllDrives = 'false'} = params
  const asked = {fileId, supportsAllDrives, fields: 'mimeType'}
  const type = nonEmptyText((await client.call('files.get', {params: asked}))?.mimeType)
  return type?.startsWith(EDITOR_TYPE_PREFIX) ? undefined : type
}

/**
 * Throws `TransferError('content')` if the file differs from the sent content. This also checks a response
 * that arrives before all content is sent.
 */
async function checkContent(record: FileRecord, content: UploadContent): Promise<void> {
  const md5 = content.md5() ?? (await content.wholeMd5())
  const is = differs(record, md5, content.size)
  if (is === undefined) return
  throw new TransferError(
    'content',
    `The content of ${printable(String(record.id), 100)} is wrong after the upload: ${is}.`,
    'Upload it again with `drv files update`, or move it to the trash.',
  )
}

/** How a file differs from the sent content; `undefined` if the known size and MD5 match. */
function differs(
  {md5Checksum, fileSize}: FileRecord,
  md5: string | undefined,
  size: number | undefined,
): string | undefined {
  // A stream cannot be read again.
  if (md5 === undefined) return 'the service reported success before everything was sent'
  if (typeof md5Checksum === 'string') {
    const is = md5Checksum.toLowerCase()
    return is === md5 ? undefined : `its MD5 is ${printable(is, 40)}, not ${md5}`
  }
  // A document that was converted from it has no size.
  if (fileSize === undefined || size === undefined || Number(fileSize) === size) return undefined
  return `it has ${printable(String(fileSize), 40)} bytes, not ${size.toLocaleString('en')}`
}

/** Content for an operation known only from its description. */
export interface PlainUpload extends Pick<Upload, 'source' | 'mimeType' | 'onProgress'> {
  readonly operation: OperationId
  readonly input: CallInput
}

/** The path of a source that can be read again. Throws `TransferError` for a stream. */
function pathOf(source: Upload['source']): string {
  if ('path' in source) return source.path
  throw new TransferError(
    'failed',
    'The service does not support resumable uploads, and this stream is too large for a single request.',
    'Save the stream to a file, then upload the file.',
  )
}

/**
 * Uploads content with any operation: in one request if it is small or the description has no session
 * protocol, else in a session. Does not record the transfer or verify the result. Returns the response;
 * throws the errors of the client.
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
    // Without multipart, the facts about the content can only be sent when a session starts.
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
