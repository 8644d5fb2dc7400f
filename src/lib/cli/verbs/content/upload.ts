import {access, constants, stat} from 'node:fs/promises'
import {resolve} from 'node:path'
import {Args} from '@oclif/core'
import {operation, type OperationId} from '#lib/api/operations.js'
import type {Context} from '#lib/cli/context/context.js'
import {printSoFar} from '#lib/cli/explain/interruption.js'
import {unreadableFileError} from '#lib/cli/explain/unreadable.js'
import type {LocalFiles} from '#lib/cli/guard/curl.js'
import type {FlagValues} from '#lib/cli/input/call-input.js'
import {limitedTransfer, limitRateFlag} from '#lib/cli/input/shared-flags.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {waitForInput} from '#lib/cli/terminal/io.js'
import {progressFlag, withProgress} from '#lib/cli/terminal/progress.js'
import type {CallInput, UploadFacts} from '#lib/client/client.js'
import {openFile} from '#lib/platform/open-file.js'
import {identityOf, isSameSource} from '#lib/transfer/journal/entry.js'
import {isOwn} from '#lib/transfer/journal/journal.js'
import {mimeTypeOf, withMark} from '#lib/transfer/local/names.js'
import {searchEntries, withExactTitle} from '#lib/transfer/remote/find-names.js'
import {ALL_DRIVES} from '#lib/transfer/remote/records.js'
import {type Conflict, type IfExists, resolveConflict} from '#lib/transfer/resolve-conflict.js'
import type {RemoteEntry} from '#lib/transfer/tree/entries.js'
import type {ContentSource, FileRecord} from '#lib/transfer/types.js'

/** The argument that names the content to upload. */
export const contentArg = {
  path: Args.string({description: 'File to upload; - for standard input.', ignoreStdin: true}),
}

export const uploadFlags = {...limitRateFlag, ...progressFlag}

/**
 * The size in bytes and the media type of the content at `path`, `-` for standard input. The media type is
 * that of the request, else that of the extension of the path or title. Throws `UsageError` for an unreadable
 * file.
 */
export async function uploadFacts(
  path: string,
  {mimeType, title}: Readonly<Record<string, unknown>> = {},
): Promise<UploadFacts> {
  const named = typeof title === 'string' ? await mimeTypeOf(title) : undefined
  const requested = typeof mimeType === 'string' ? mimeType : undefined
  if (path === '-') return {mimeType: requested ?? named}
  if (path === '') throw new UsageError('Invalid PATH: must not be empty.')
  try {
    const facts = await stat(path)
    if (facts.isDirectory()) {
      throw new UsageError(
        `Cannot upload ${path}: it is a folder.`,
        `Pass a file, or upload the folder with \`drv push\`.`,
      )
    }
    await access(path, constants.R_OK)
    // The size of a device or a named pipe is unknown.
    const size = facts.isFile() ? facts.size : undefined
    return {size, mimeType: requested ?? (await mimeTypeOf(path)) ?? named}
  } catch (error) {
    throw error instanceof UsageError ? error : unreadableFileError(path, error)
  }
}

/** The local end of an upload, for the curl line of a dry run. */
export function contentAt(path: unknown, {mimeType}: UploadFacts): LocalFiles {
  return {content: {path: String(path), mimeType}}
}

/**
 * Uploads the content at `path`, `-` for standard input, with the metadata of `input`. Only uploads of
 * `files.insert` and `files.update` can be resumed.
 */
export async function sendContent(
  context: Context,
  operation: OperationId,
  input: CallInput,
  path: string,
  flags: FlagValues,
): Promise<FileRecord> {
  const {params, body} = input
  const {size, mimeType} = await uploadFacts(path, body)
  const world = await limitedTransfer(context, flags['limit-rate'])
  const isFile = path !== '-' && size !== undefined
  const source = isFile ? {path} : await streamAt(context, path)
  const label = path === '-' ? 'standard input' : path
  const partial = {label, done: 'sent', isKept: isFile && Boolean(world.journal)} as const
  const {uploadFile, uploadPlain} = await import('#lib/transfer/upload.js')
  return withProgress(context, {label, isWanted: Boolean(flags.progress)}, show => {
    const sending = {source, mimeType, onProgress: printSoFar(context, partial, show)}
    if (operation !== 'files.insert' && operation !== 'files.update') {
      return uploadPlain(world, {operation, input, ...sending})
    }
    const {afterwards} = context
    return uploadFile({...world, afterwards}, {operation, params, body, ...sending})
  })
}

/** The content of standard input, a named pipe or a device as a stream, which can be read only once. */
async function streamAt(context: Context, path: string): Promise<ContentSource> {
  if (path === '-') return {stream: context.io.stdin, wait: waitForInput(context)}
  const opened = await openFile(path).catch((error: unknown) => {
    throw unreadableFileError(path, error)
  })
  if ('handle' in opened) return {stream: opened.handle.createReadStream()}
  return {stream: opened.pipe, wait: context.waits.begin(() => path)}
}

/** The request for a new file after applying `--if-exists`. */
export type Insertion =
  | {readonly operation: 'files.insert' | 'files.update'; readonly input: CallInput}
  /** The existing file is kept. */
  | {readonly kept: FileRecord}

/** Number of numbered titles in one search. */
const NUMBERS = 20

/**
 * Searches the folder for files of the same title and applies `--if-exists`. A file created by an interrupted
 * upload of `path` is no conflict, because that upload is resumed. Throws `CommandError('conflict')`.
 */
export async function insertionFor(
  context: Pick<Context, 'client' | 'journal'>,
  input: CallInput,
  ifExists: IfExists | undefined,
  path: unknown,
): Promise<Insertion> {
  const plain = {operation: 'files.insert', input} as const
  if (ifExists === undefined) return plain
  const {title, parents} = input.body ?? {}
  if (typeof title !== 'string') {
    throw new UsageError('--if-exists requires a title.', 'Pass --title TITLE.')
  }
  const [parent] = Array.isArray(parents) ? (parents as Array<{id?: unknown}>) : []
  const client = await context.client()
  const folderId = typeof parent?.id === 'string' ? parent.id : 'root'
  const numbered = ifExists === 'rename' ? numberedTitles(title, 1) : []
  let own: ReadonlySet<string> | undefined
  const find = async (titles: readonly string[]) => {
    const entries = await searchEntries(client, {folderIds: [folderId], titles})
    if (entries.length > 0) own ??= await interrupted(context, path)
    return entries.filter(({entry}) => !own?.has(entry.id))
  }
  const nearby = await find([title, ...numbered])
  const existing = withExactTitle(title, nearby).map(({entry}) => entry)
  const freeName = async () => {
    for (let from = 1, all = nearby; ; all = await find(numberedTitles(title, from))) {
      const free = numberedTitles(title, from).find(one => withExactTitle(one, all).length === 0)
      if (free !== undefined) return free
      from += NUMBERS
    }
  }
  const resolution = resolveConflict(ifExists, {title, existing, freeName})
  if ('kept' in resolution) return {kept: await recordOf(resolution.kept)}
  if ('conflict' in resolution) {
    const ids = existing.map(({id}) => id).join(', ')
    throw new CommandError(
      'conflict',
      `Cannot upload ${title}: ${reasonFor(resolution.conflict)} (${ids}).`,
      'Choose another title with --title, or update the file with `drv files update ID PATH`.',
    )
  }
  const {replaces} = resolution
  if (replaces) return {operation: 'files.update', input: replacing(input, replaces.id)}
  return {...plain, input: {...input, body: {...input.body, title: await resolution.title}}}

  async function recordOf({id}: RemoteEntry): Promise<FileRecord> {
    const {fields} = input.params
    const params = {fileId: id, ...ALL_DRIVES, ...(fields !== undefined && {fields})}
    return (await client.call('files.get', {params})) ?? {}
  }
}

function reasonFor(conflict: Conflict): string {
  if (conflict === 'several') return 'the folder contains several files with this title'
  if (conflict === 'folder') return 'the folder contains a folder with this title'
  return 'the folder already contains a file with this title'
}

/** The IDs reserved for new files by interrupted uploads of `path`. */
async function interrupted(
  {journal}: Pick<Context, 'journal'>,
  path: unknown,
): Promise<ReadonlySet<string>> {
  const kept = typeof path === 'string' && path !== '-' ? await journal() : undefined
  if (!kept) return new Set()
  const absolute = resolve(String(path))
  // The upload itself will report a file that cannot be read.
  const facts = await stat(absolute, {bigint: true}).catch(() => undefined)
  if (!facts) return new Set()
  const identity = identityOf(absolute, facts)
  const ids = (await kept.list()).flatMap(({entry}) =>
    entry.kind === 'upload' && isOwn(entry, kept) && isSameSource(entry.source, identity)
      ? [entry.id]
      : [],
  )
  return new Set(ids.filter(id => id !== undefined))
}

function numberedTitles(title: string, from: number): string[] {
  return Array.from({length: NUMBERS}, (_, index) => withMark(title, String(from + index)))
}

/** Turns an insert into an update of an existing file, without the parents. */
function replacing({params, body}: CallInput, fileId: string): CallInput {
  const known = operation('files.update').parameters
  const fitting = Object.entries(params).filter(([name]) => name in known || name === 'fields')
  const {id: _, parents: __, ...rest} = body ?? {}
  return {params: {...Object.fromEntries(fitting), fileId}, body: rest}
}
