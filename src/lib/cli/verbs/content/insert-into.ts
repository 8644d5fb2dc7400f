import {stat} from 'node:fs/promises'
import {resolve} from 'node:path'
import {operation} from '#lib/api/operations.js'
import type {Context} from '#lib/cli/context/context.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import type {CallInput} from '#lib/client/client.js'
import {identityOf, isSameSource} from '#lib/transfer/journal/entry.js'
import {isOwn} from '#lib/transfer/journal/journal.js'
import {withMark} from '#lib/transfer/local/names.js'
import {named, searchEntries} from '#lib/transfer/remote/find-names.js'
import {ALL_DRIVES} from '#lib/transfer/remote/records.js'
import {type Conflict, type IfExists, resolveConflict} from '#lib/transfer/resolve-conflict.js'
import type {RemoteEntry} from '#lib/transfer/tree/entries.js'
import type {FileRecord} from '#lib/transfer/types.js'

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
