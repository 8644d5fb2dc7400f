import {Args} from '@oclif/core'
import {constants, createReadStream} from 'node:fs'
import {access, stat} from 'node:fs/promises'
import type {Readable} from 'node:stream'
import type {CallInput, UploadSource} from '../../client/client.js'
import type {FileRecord, Upload} from '../../transfer/types.js'
import type {Context} from '../command/context.js'
import {UsageError} from '../command/errors.js'
import {waitForInput} from '../command/io.js'
import {withProgress} from '../output/progress.js'
import {unreadable} from '../explain/unreadable.js'

/** The argument that names the content to upload. */
export const contentArg = {
  path: Args.string({description: 'File to upload; - for standard input.', ignoreStdin: true}),
}

/** The media type that a body asks for. */
export function typeIn(body: Readonly<Record<string, unknown>> = {}): string | undefined {
  return typeof body.mimeType === 'string' ? body.mimeType : undefined
}

/**
 * The content at `path`, `-` for standard input. The media type comes from `mimeType`, else from
 * the name's ending. Throws `UsageError` for what cannot be read.
 */
export async function uploadSourceOf(
  path: string,
  mimeType: string | undefined,
  stdin: Readable,
): Promise<UploadSource> {
  if (path === '-') return {open: once(stdin), mimeType}
  if (path === '') throw new UsageError('PATH must not be empty.')
  const facts = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(path, error)
  })
  if (facts.isDirectory()) {
    throw new UsageError(`${path} is a directory: only files can be uploaded.`, 'Name a file.')
  }
  await access(path, constants.R_OK).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(path, error)
  })
  return {
    open: () => createReadStream(path),
    // A device or a named pipe has no size of its own.
    size: facts.isFile() ? facts.size : undefined,
    mimeType: mimeType ?? (await typeOf(path)),
  }
}

/** Sends the content at `path`, `-` for standard input, with a request that describes it. */
export async function sendContent(
  context: Context,
  operation: Upload['operation'],
  {params, body, upload}: CallInput,
  path: string,
  progress: unknown,
): Promise<FileRecord> {
  const [{uploadFile}, world] = await Promise.all([
    import('../../transfer/upload.js'),
    context.transfer(),
  ])
  const source = path === '-' ? {stream: context.io.stdin, wait: waitForInput(context)} : {path}
  const label = path === '-' ? 'standard input' : path
  return withProgress(context, {label, isWanted: Boolean(progress)}, onProgress =>
    uploadFile(
      {...world, afterwards: context.afterwards},
      {operation, params, body, source, mimeType: upload?.mimeType, onProgress},
    ),
  )
}

/** Throws when both the body and the content would be read from standard input. */
export function checkOneStdin(body: unknown, path: unknown): void {
  if (body === '-' && path === '-') {
    throw new UsageError(
      'The body and the content cannot both come from standard input.',
      'Put one of them into a file: --body @FILE, or a path instead of -.',
    )
  }
}

async function typeOf(path: string): Promise<string | undefined> {
  const {default: mime} = await import('mime')
  return mime.getType(path) ?? undefined
}

/** Standard input can be read once only: a second attempt has nothing left to send. */
function once(stream: Readable): () => Readable {
  let isTaken = false
  return () => {
    if (isTaken) throw new UsageError('Standard input was used up by the first attempt.', 'Retry.')
    isTaken = true
    return stream
  }
}
