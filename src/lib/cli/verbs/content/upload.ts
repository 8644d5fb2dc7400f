import {access, constants, stat} from 'node:fs/promises'
import {resolve} from 'node:path'
import {Args} from '@oclif/core'
import {operation, type OperationId} from '#lib/api/operations.js'
import type {Context} from '#lib/cli/context/context.js'
import {tellSoFar} from '#lib/cli/explain/interruption.js'
import {unreadable} from '#lib/cli/explain/unreadable.js'
import type {LocalFiles} from '#lib/cli/guard/curl.js'
import type {Values} from '#lib/cli/input/call-input.js'
import {limitedTransfer, limitRateFlag} from '#lib/cli/input/shared-flags.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {waitForInput} from '#lib/cli/terminal/io.js'
import {progressFlag, withProgress} from '#lib/cli/terminal/progress.js'
import type {CallInput, UploadFacts} from '#lib/client/client.js'
import {openFile} from '#lib/platform/open-file.js'
import {identityOf, isSameSource} from '#lib/transfer/journal/entry.js'
import {isOwn} from '#lib/transfer/journal/journal.js'
import {mimeTypeOf, withMark} from '#lib/transfer/local/names.js'
import {named, searchEntries} from '#lib/transfer/remote/find-names.js'
import {ALL_DRIVES} from '#lib/transfer/remote/records.js'
import {type Conflict, type IfExists, resolveConflict} from '#lib/transfer/resolve-conflict.js'
import type {RemoteEntry} from '#lib/transfer/tree/entries.js'
import type {FileRecord, Source} from '#lib/transfer/types.js'

/** The argument that names the content to upload. */
export const contentArg = {
  path: Args.string({description: 'File to upload; - for standard input.', ignoreStdin: true}),
}

export const uploadFlags = {...limitRateFlag, ...progressFlag}

/**
 * What is known of the content at `path`, `-` for standard input: its size, and the media type that
 * the file's `record` asks for, else that of the ending of its name or title. Throws `UsageError` for
 * what cannot be read.
 */
export async function uploadFacts(
  path: string,
  {mimeType, title}: Readonly<Record<string, unknown>> = {},
): Promise<UploadFacts> {
  const named = typeof title === 'string' ? await mimeTypeOf(title) : undefined
  const asked = typeof mimeType === 'string' ? mimeType : undefined
  if (path === '-') return {mimeType: asked ?? named}
  if (path === '') throw new UsageError('PATH must not be empty.')
  try {
    const facts = await stat(path)
    if (facts.isDirectory()) {
      throw new UsageError(`${path} is a directory: only files can be uploaded.`, 'Name a file.')
    }
    await access(path, constants.R_OK)
    // A device or a named pipe has no size of its own.
    const size = facts.isFile() ? facts.size : undefined
    return {size, mimeType: asked ?? (await mimeTypeOf(path)) ?? named}
  } catch (error) {
    throw error instanceof UsageError ? error : unreadable(path, error)
  }
}

/** Where the content of a request is, for whoever sends it by other means. */
export function contentAt(path: unknown, {mimeType}: UploadFacts): LocalFiles {
  return {content: {path: String(path), mimeType}}
}

/**
 * Sends the content at `path`, `-` for standard input, with a request that describes it. Interrupted
 * uploads are remembered of the operations that make and change files, of no others.
 */
export async function sendContent(
  context: Context,
  operation: OperationId,
  input: CallInput,
  path: string,
  flags: Values,
): Promise<FileRecord> {
  const {params, body} = input
  const {size, mimeType} = await uploadFacts(path, body)
  const world = await limitedTransfer(context, flags['limit-rate'])
  const isFile = path !== '-' && size !== undefined
  const source = isFile ? {path} : await streamAt(context, path)
  const label = path === '-' ? 'standard input' : path
  const told = {label, done: 'sent', isKept: isFile && Boolean(world.journal)} as const
  const {uploadFile, uploadPlain} = await import('#lib/transfer/upload.js')
  return withProgress(context, {label, isWanted: Boolean(flags.progress)}, show => {
    const sending = {source, mimeType, onProgress: tellSoFar(context, told, show)}
    if (operation !== 'files.insert' && operation !== 'files.update') {
      return uploadPlain(world, {operation, input, ...sending})
    }
    const {afterwards} = context
    return uploadFile({...world, afterwards}, {operation, params, body, ...sending})
  })
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

/** What a new file becomes where its folder has one of its name. */
export type Insertion =
  | {readonly operation: 'files.insert' | 'files.update'; readonly input: CallInput}
  /** It stays as it is. */
  | {readonly kept: FileRecord}

/** How many numbered titles one search asks for. */
const NUMBERS = 20

/**
 * Looks, with one request, whether the folder has a file of that title, and gives what is to be sent
 * instead. What an interrupted upload of the same content at `path` has made is no other file: that
 * upload goes on. Throws `CommandError('conflict')` where that may not be, or several could be meant.
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
    throw new UsageError('--if-exists needs a title to look for.', 'Give one with --title.')
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
  const existing = named(title, nearby).map(({entry}) => entry)
  const freeName = async () => {
    for (let from = 1, all = nearby; ; all = await find(numberedTitles(title, from))) {
      const free = numberedTitles(title, from).find(one => named(one, all).length === 0)
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
      `${title} was not uploaded: ${reasonFor(resolution.conflict)} (${ids}).`,
      'Name another with --title, or the file itself: `drv files update ID PATH`.',
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
  if (conflict === 'several') return 'there are several files of that title'
  if (conflict === 'folder') return 'there is a folder of that title'
  return 'there is a file of that title already'
}

/** IDs of the new files that interrupted uploads of the content at `path` were to make. */
async function interrupted(
  {journal}: Pick<Context, 'journal'>,
  path: unknown,
): Promise<ReadonlySet<string>> {
  const kept = typeof path === 'string' && path !== '-' ? await journal() : undefined
  if (!kept) return new Set()
  const absolute = resolve(String(path))
  // What cannot be read is told when it is to be sent.
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

/** The update that an insert becomes: its metadata but for the place, which the file has. */
function replacing({params, body}: CallInput, fileId: string): CallInput {
  const known = operation('files.update').parameters
  const fitting = Object.entries(params).filter(([name]) => name in known || name === 'fields')
  const {id: _, parents: __, ...rest} = body ?? {}
  return {params: {...Object.fromEntries(fitting), fileId}, body: rest}
}
