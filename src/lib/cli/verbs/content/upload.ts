import {access, constants, stat} from 'node:fs/promises'
import {Args} from '@oclif/core'
import type {OperationId} from '#lib/api/operations.js'
import type {Context} from '#lib/cli/context/context.js'
import {tellSoFar} from '#lib/cli/explain/interruption.js'
import {unreadable} from '#lib/cli/explain/unreadable.js'
import type {LocalEnds} from '#lib/cli/guard/curl.js'
import type {Values} from '#lib/cli/input/call-input.js'
import {limitedTransfer, limitRateFlag} from '#lib/cli/input/shared-flags.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {waitForInput} from '#lib/cli/terminal/io.js'
import {progressFlag, withProgress} from '#lib/cli/terminal/progress.js'
import type {CallInput, UploadFacts} from '#lib/client/client.js'
import {openFile} from '#lib/platform/open-file.js'
import {mimeTypeOf} from '#lib/transfer/local/names.js'
import type {FileRecord, Source, Upload, World} from '#lib/transfer/types.js'
import type {PlainUpload} from '#lib/transfer/upload.js'

/** The argument that names the content to upload. */
export const contentArg = {
  path: Args.string({description: 'File to upload; - for standard input.', ignoreStdin: true}),
}

export const uploadFlags = {...limitRateFlag, ...progressFlag}

/**
 * What is known of the content at `path`, `-` for standard input: its size, and the media type that
 * the file's `record` asks for, else that of the name's ending. Throws `UsageError` for what cannot be
 * read.
 */
export async function uploadFacts(
  path: string,
  {mimeType}: Readonly<Record<string, unknown>> = {},
): Promise<UploadFacts> {
  const asked = typeof mimeType === 'string' ? mimeType : undefined
  if (path === '-') return {mimeType: asked}
  if (path === '') throw new UsageError('PATH must not be empty.')
  try {
    const facts = await stat(path)
    if (facts.isDirectory()) {
      throw new UsageError(`${path} is a directory: only files can be uploaded.`, 'Name a file.')
    }
    await access(path, constants.R_OK)
    // A device or a named pipe has no size of its own.
    const size = facts.isFile() ? facts.size : undefined
    return {size, mimeType: asked ?? (await mimeTypeOf(path))}
  } catch (error) {
    throw error instanceof UsageError ? error : unreadable(path, error)
  }
}

/** Where the content of a request is, for whoever sends it by other means. */
export function contentAt(path: unknown, {mimeType}: UploadFacts): LocalEnds {
  return {content: {path: String(path), mimeType}}
}

/** What sends content, and how much of it is there by then. */
type Sending = Pick<PlainUpload, 'source' | 'mimeType' | 'onProgress'>

/** Sends the content at `path`, `-` for standard input, with a request that describes it. */
export function sendContent(
  context: Context,
  operation: Upload['operation'],
  {params, body}: CallInput,
  path: string,
  flags: Values,
): Promise<FileRecord> {
  return sendBy(context, {path, body, flags}, async (world, sending) => {
    const {uploadFile} = await import('#lib/transfer/upload.js')
    const all = {...world, afterwards: context.afterwards}
    return uploadFile(all, {operation, params, body, ...sending})
  })
}

/** The same for an operation of any description; nothing is remembered of what is none of the API's own. */
export function sendAny(
  context: Context,
  operation: OperationId,
  input: CallInput,
  path: string,
  flags: Values,
): Promise<FileRecord> {
  if (operation === 'files.insert' || operation === 'files.update') {
    return sendContent(context, operation, input, path, flags)
  }
  return sendBy(context, {path, body: input.body, flags}, async (world, sending) => {
    const {uploadPlain} = await import('#lib/transfer/upload.js')
    return uploadPlain(world, {operation, input, ...sending})
  })
}

async function sendBy(
  context: Context,
  {path, body, flags}: {path: string; body: CallInput['body']; flags: Values},
  send: (world: World, sending: Sending) => Promise<FileRecord>,
): Promise<FileRecord> {
  const {size, mimeType} = await uploadFacts(path, body)
  const world = await limitedTransfer(context, flags['limit-rate'])
  const isFile = path !== '-' && size !== undefined
  const source = isFile ? {path} : await streamAt(context, path)
  const label = path === '-' ? 'standard input' : path
  const told = {label, done: 'sent', isKept: isFile && Boolean(world.journal)} as const
  return withProgress(context, {label, isWanted: Boolean(flags.progress)}, onProgress =>
    send(world, {source, mimeType, onProgress: tellSoFar(context, told, onProgress)}),
  )
}

/** The content of standard input, a named pipe or a device, which can be read only once. */
async function streamAt(context: Context, path: string): Promise<Source> {
  if (path === '-') return {stream: context.io.stdin, wait: waitForInput(context)}
  const opened = await openFile(path).catch((error: unknown) => {
    throw unreadable(path, error)
  })
  if ('handle' in opened) return {stream: opened.handle.createReadStream()}
  return {stream: opened.pipe, wait: context.waits.begin(() => path)}
}
