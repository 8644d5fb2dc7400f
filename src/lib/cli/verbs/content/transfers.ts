import {Args} from '@oclif/core'
import type {Context} from '#lib/cli/context/context.js'
import {tellSoFar} from '#lib/cli/explain/interruption.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {withProgress} from '#lib/cli/terminal/progress.js'
import type {JournalEntry, UploadEntry} from '#lib/transfer/journal/entry.js'
import {isOwn, type Journal, type ListedTransfer} from '#lib/transfer/journal/journal.js'

/** What the commands about interrupted transfers share. */

export const keyArg = {
  key: Args.string({description: 'Names of transfers, or the starts of them.'}),
}

/** The journal; throws `CommandError` where there is no home directory to keep one in. */
export async function journalOf(context: Context): Promise<Journal> {
  const journal = await context.journal()
  if (journal) return journal
  throw new CommandError(
    'failed',
    'There is no directory in which transfers are remembered.',
    'Set XDG_STATE_HOME to a directory of your own.',
  )
}

/** The transfers of these names, all of them for none. Throws for a name that no transfer has. */
export function chosen(all: readonly ListedTransfer[], keys: readonly string[]): ListedTransfer[] {
  if (keys.length === 0) return [...all]
  return keys.map(key => {
    // The start of a name is enough where no other begins so.
    const found = all.filter(transfer => transfer.key.startsWith(key))
    if (key !== '' && found.length === 1) return found[0]!
    if (found.length > 1) {
      const names = found.map(transfer => transfer.key).join(', ')
      throw new CommandError('conflict', `${key} could be ${names}.`, 'Write more of the name.')
    }
    throw new CommandError(
      'notFound',
      `There is no interrupted transfer ${JSON.stringify(key)}.`,
      '`drv transfers list` shows those there are.',
    )
  })
}

/** Throws `UsageError` unless names were given or `--all`, and not both. */
export function checkChoice(keys: readonly string[], all: unknown): void {
  if (keys.length > 0 === Boolean(all)) {
    throw new UsageError('Name transfers, or say --all for every one there is.')
  }
}

/** Where a transfer's content is on this machine. */
export function localPath(entry: JournalEntry): string {
  return entry.kind === 'upload' ? entry.source.path : entry.path
}

/** Milliseconds that a service has to say how much of an upload it has received. */
const PATIENCE = 3000

/**
 * The bytes of an interrupted upload that the service has received; `undefined` where it does not
 * answer. The address of a session needs no token.
 */
export async function receivedBytes(
  context: Context,
  {session, source: {size}}: UploadEntry,
): Promise<number | undefined> {
  if (session === undefined) return undefined
  try {
    const [{createSessions}, {baseUrl}] = await Promise.all([
      import('#lib/client/upload/sessions.js'),
      context.addresses(),
    ])
    const sessions = createSessions(await context.plainSender(baseUrl, PATIENCE))
    const state = await sessions.status(session, size)
    return state.isDone ? size : state.received
  } catch {
    return undefined
  }
}

/** Goes on with a transfer, as its own command line would. */
export async function goOn(
  context: Context,
  entry: JournalEntry,
  progress: unknown,
): Promise<void> {
  const world = await context.transfer()
  const shown = {label: localPath(entry), isWanted: Boolean(progress)}
  await withProgress(context, shown, async show => {
    const done = entry.kind === 'upload' ? 'sent' : 'received'
    const told = {label: localPath(entry), done, isKept: true} as const
    const onProgress = tellSoFar(context, told, show)
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

/** Forgets a transfer and what it left, here and, as far as can be, in the service. */
export async function discardTransfer(
  context: Context,
  {key, entry}: ListedTransfer,
): Promise<void> {
  const journal = await journalOf(context)
  if (!(await journal.discard(key))) {
    throw new CommandError('conflict', `${key} is under way in another process.`, 'End it first.')
  }
  if (entry.kind !== 'upload' || entry.session === undefined || !isOwn(entry, journal)) return
  try {
    const client = await context.client()
    await client.uploads.cancel(entry.session)
  } catch {
    // Nobody can go on with it any more; the service forgets it by itself after a week.
  }
}
