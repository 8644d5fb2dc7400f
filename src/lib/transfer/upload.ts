import {Readable} from 'node:stream'
import type {OperationId} from '#lib/api/operations.js'
import {textOf} from '#lib/api/validate.js'
import {EDITOR_TYPE_PREFIX} from '#lib/api/wire.js'
import {narrowed, widened} from '#lib/client/calls.js'
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
 * Uploads content: in one request when it is small, else in a session that goes on where it
 * stopped, even in another process. Gives the file's record once the service has all of it with
 * the right MD5. A new file is made once, however often the upload is tried. Fails with
 * `TransferError` and the errors of the client.
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
      return narrowed(record, textOf(upload.params.fields))
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
  /** All of it, where it goes up in one request. */
  readonly whole?: Piece
}

async function claimOf({world, upload, content, whole}: Job): Promise<Claim | undefined> {
  const {journal} = world
  if (!journal || !content.identity || (whole && upload.remembersLargeOnly)) return undefined
  return journal.claim(entryOf(journal, upload, content.identity))
}

/** What is remembered of an upload that has just begun. */
function entryOf(
  {profile, baseUrl}: Journal,
  {operation, params, body, mimeType}: Upload,
  source: Identity,
): UploadEntry {
  return {kind: 'upload', profile, baseUrl, operation, params, body, mimeType, source, done: 0}
}

/** Sends with what an earlier run left, and anew where the service has no use for that any more. */
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

/** What an earlier run left, unless the source is not what it was then. */
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
  const fields = widened(textOf(params.fields))
  const input: CallInput = {
    params: fields === undefined ? params : {...params, fields},
    body,
    upload: {
      open: () => (whole ?? {bytes: () => Buffer.alloc(0)}).bytes(),
      size: whole?.size ?? content.size,
      mimeType: upload.mimeType,
      md5: () => content.md5(),
    },
    // Another process may know an ID that was reserved beforehand, and use it for the same file.
    mayBeDone: mayBeDone || upload.id !== undefined,
    ...(upload.ifMatch !== undefined && {ifMatch: upload.ifMatch}),
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

/** The media type of content: the given one, else that of the file it is for, else what its bytes are. */
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
 * The media type of the file that gets new content of which nobody knows one: a service takes what
 * it is not told for bytes of no kind. `undefined` for a new file, and for a document, which has none.
 */
export async function typeBefore(
  client: World['client'],
  {operation, params}: Pick<Upload, 'operation' | 'params'>,
): Promise<string | undefined> {
  if (operation !== 'files.update') return undefined
  const {fileId = '', supportsAllDrives = 'false'} = params
  const asked = {fileId, supportsAllDrives, fields: 'mimeType'}
  const type = textOf((await client.call('files.get', {params: asked}))?.mimeType)
  return type?.startsWith(EDITOR_TYPE_PREFIX) ? undefined : type
}

/**
 * Throws `TransferError('content')` where the file is not what was to be sent. An answer that came
 * before all was sent counts only if the file has all of it.
 */
async function checkContent(record: FileRecord, content: UploadContent): Promise<void> {
  const md5 = content.md5() ?? (await content.wholeMd5())
  const is = differs(record, md5, content.size)
  if (is === undefined) return
  throw new TransferError(
    'content',
    `The content of ${printable(String(record.id), 100)} is not what was sent: ${is}.`,
    'Send it again with `drv files update`, or put it into the trash.',
  )
}

/** How a file differs from what was sent, in words; `undefined` where it does not, as far as it can be told. */
function differs(
  {md5Checksum, fileSize}: FileRecord,
  md5: string | undefined,
  size: number | undefined,
): string | undefined {
  // Of a stream, which nobody can read again.
  if (md5 === undefined) return 'the service said that it had all of it before all was sent'
  if (typeof md5Checksum === 'string') {
    const is = md5Checksum.toLowerCase()
    return is === md5 ? undefined : `its MD5 is ${printable(is, 40)}, not ${md5}`
  }
  // A document that was made of it has no size of its own.
  if (fileSize === undefined || size === undefined || Number(fileSize) === size) return undefined
  return `it has ${printable(String(fileSize), 40)} bytes, not ${size}`
}

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
