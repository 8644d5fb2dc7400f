import {operation} from '../../api/operations.js'
import type {CallInput} from '../../client/client.js'
import {withMark} from '../../transfer/local/names.js'
import {ALL_DRIVES, type EntryInFolders} from '../../transfer/remote/records.js'
import {named, searchEntries} from '../../transfer/remote/search.js'
import type {IfExists} from '../../transfer/tree/existing.js'
import type {FileRecord} from '../../transfer/types.js'
import type {Context} from '../command/context.js'
import {CommandError, UsageError} from '../command/errors.js'

/** What a new file becomes where its folder has one of its name. */
export type Insertion =
  | {readonly operation: 'files.insert' | 'files.update'; readonly input: CallInput}
  /** It stays as it is. */
  | {readonly kept: FileRecord}

/** How many numbered titles one search asks for. */
const NUMBERS = 20

/**
 * Looks, with one request, whether the folder has a file of that title, and gives what is to be sent
 * instead. Throws `CommandError('conflict')` where that may not be, or several could be meant.
 */
export async function insertionFor(
  context: Pick<Context, 'client'>,
  input: CallInput,
  ifExists: IfExists | undefined,
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
  const find = (titles: readonly string[]) => searchEntries(client, {folderIds: [folderId], titles})
  let all = await find([title, ...numbered])
  const found = named(title, all)
  const [first] = found
  if (!first) return plain
  if (ifExists === 'skip') return {kept: await recordOf(first)}
  if (ifExists === 'replace') return {operation: 'files.update', input: replacing(input, only())}
  if (ifExists === 'fail') throw conflict('there is a file of that title already')
  for (let from = 1; ; from += NUMBERS, all = await find(numberedTitles(title, from))) {
    const free = numberedTitles(title, from).find(one => named(one, all).length === 0)
    if (free !== undefined) return {...plain, input: {...input, body: {...input.body, title: free}}}
  }

  function only(): string {
    if (found.length > 1) throw conflict('there are several files of that title')
    if (first!.entry.kind === 'folder') throw conflict('there is a folder of that title')
    return first!.entry.id
  }

  function conflict(why: string): CommandError {
    const ids = found.map(({entry}) => entry.id).join(', ')
    return new CommandError(
      'conflict',
      `${String(title)} was not uploaded: ${why} (${ids}).`,
      'Name another with --title, or the file itself: `drv files update ID PATH`.',
    )
  }

  async function recordOf({entry}: EntryInFolders): Promise<FileRecord> {
    const {fields} = input.params
    const params = {fileId: entry.id, ...ALL_DRIVES, ...(fields !== undefined && {fields})}
    return (await client.call('files.get', {params})) ?? {}
  }
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
