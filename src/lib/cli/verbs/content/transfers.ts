import {Args} from '@oclif/core'
import type {Context} from '#lib/cli/context/context.js'
import {printSoFar} from '#lib/cli/explain/interruption.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {withProgress} from '#lib/cli/terminal/progress.js'
import type {JournalEntry, UploadEntry} from '#lib/transfer/journal/entry.js'
import {isOwn, type Journal, type ListedTransfer} from '#lib/transfer/journal/journal.js'

/** Shared code of the commands for interrupted transfers. */

export const keyArg = {
  key: Args.string({
    description: 'Keys of transfers, or unique prefixes of keys.',
    multiple: true,
    ignoreStdin: true,
  }),
}

/** The journal. Throws `CommandError` if there is no home directory to store it in. */
export async function journalOf(context: Context): Promise<Journal> {
  const journal = await context.journal()
  if (journal) return journal
  throw new CommandError(
    'failed',
    'Cannot read the journal of transfers: no directory for state files.',
    'Set XDG_STATE_HOME to a directory that you can write to.',
  )
}

/** The transfers with these names; all transfers without names. Throws `CommandError` for an unknown name. */
export function selectTransfers(
  all: readonly ListedTransfer[],
  keys: readonly string[],
): ListedTransfer[] {
  if (keys.length === 0) return [...all]
  return keys.map(key => {
    // A unique beginning of a name is enough.
    const found = all.filter(transfer => transfer.key.startsWith(key))
    if (key !== '' && found.length === 1) return found[0]!
    if (found.length > 1) {
      const names = found.map(transfer => transfer.key).join(', ')
      throw new CommandError(
        'conflict',
        `Ambiguous transfer key ${key}: it could be ${names}.`,
        'Pass more characters of the key.',
      )
    }
    throw new CommandError(
      'notFound',
      `No interrupted transfer has the key ${key}.`,
      'To see all interrupted transfers, run `drv transfers list`.',
    )
  })
}

/** Throws `UsageError` unless there are either names or `--all`. */
export function checkChoice(keys: readonly string[], all: unknown): void {
  if (keys.length > 0 === Boolean(all)) {
    throw new UsageError('Pass either the keys of transfers or --all.')
  }
}

/** The local path of a transfer's content. */
export function localPath(entry: JournalEntry): string {
  return entry.kind === 'upload' ? entry.source.path : entry.path
}

/** Milliseconds to wait for the state of an upload session. */
const STATUS_TIMEOUT = 3000

/**
 * The number of bytes of an interrupted upload that the service has received; `undefined` if it does not
 * respond. The address of an upload session requires no token.
 */
export async function sessionProgress(
  context: Context,
  {session, source: {size}}: UploadEntry,
): Promise<number | undefined> {
  if (session === undefined) return undefined
  try {
    const [{createSessions}, {baseUrl}] = await Promise.all([
      import('#lib/client/upload/sessions.js'),
      context.addresses(),
    ])
    const sessions = createSessions(await context.plainSender(baseUrl, STATUS_TIMEOUT))
    const state = await sessions.status(session, size)
    return state.isDone ? size : state.received
  } catch {
    return undefined
  }
}

/** Resumes a transfer, as its original command would. */
export async function resumeTransfer(
  context: Context,
  entry: JournalEntry,
  progress: unknown,
): Promise<void> {
  const world = await context.transfer()
  const shown = {label: localPath(entry), isWanted: Boolean(progress)}
  await withProgress(context, shown, async show => {
    const done = entry.kind === 'upload' ? 'sent' : 'received'
    const interrupted = {label: localPath(entry), done, isKept: true} as const
    const onProgress = printSoFar(context, interrupted, show)
    if (entry.kind === 'upload') {
      const {uploadFile} = await import('#lib/transfer/upload.js')
      const {operation, params, body, mimeType, source} = entry
      const {path, root} = source
      const content = {path, scanned: {root}}
      await uploadFile(world, {operation, params, body, mimeType, source: content, onProgress})
    } else {
      const {downloadFile} = await import('#lib/transfer/download.js')
      const {operation, params, path, root, overwrite, md5, size, modified} = entry
      const content = {operation, params, md5, size, modified}
      await downloadFile(world, {...content, path, root, overwrite, onProgress})
    }
  })
}

/** Deletes the record of a transfer, its partial local file and, if possible, its upload session. */
export async function discardTransfer(
  context: Context,
  {key, entry}: ListedTransfer,
): Promise<void> {
  const journal = await journalOf(context)
  if (!(await journal.discard(key))) {
    throw new CommandError(
      'conflict',
      `Cannot discard ${key}: another process is running it.`,
      'Stop that process first.',
    )
  }
  if (entry.kind !== 'upload' || entry.session === undefined || !isOwn(entry, journal)) return
  try {
    const client = await context.client()
    await client.uploads.cancel(entry.session)
  } catch {
    // Without its record, the session cannot be resumed; the service deletes it after a week.
  }
}
