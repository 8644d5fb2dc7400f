import {existsSync} from 'node:fs'
import {Args} from '@oclif/core'
import {parentIds} from '#lib/api/reached.js'
import type {Change} from '#lib/cli/changes/change.js'
import type {Context} from '#lib/cli/context/context.js'
import type {Parsed} from '#lib/cli/input/call-input.js'
import {forgetOnSuccess, shareIds} from '#lib/cli/input/names/id-sharing.js'
import {chooseAt, readRemotePath, withExitCodes} from '#lib/cli/input/names/resolver.js'
import {ifExistsFlag, ifExistsOf} from '#lib/cli/input/shared-flags.js'
import {type CallStep, mapSteps, type Step} from '#lib/cli/run/plan.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {shellWord} from '#lib/cli/terminal/read-argv.js'
import type {Client} from '#lib/client/client.js'
import {fitsOneSearch, searchEntries} from '#lib/transfer/remote/find-names.js'
import {shareFolders} from '#lib/transfer/remote/folders.js'
import {resolveRemotePath} from '#lib/transfer/remote/resolve.js'
import {noFolder} from '#lib/transfer/remote/resolve-error.js'
import {followToFolder} from '#lib/transfer/remote/shortcuts.js'
import type {IfExists} from '#lib/transfer/resolve-conflict.js'
import {createFolderNames, type FolderNames, ifExistsAt} from './folder-names.js'
import {createFolderStep} from './make-folders.js'
import {filesOf, fromFlag} from './path-arguments.js'
import {
  type MissingSource,
  recordOf,
  type SourceItem,
  sourcesOf,
  transferChange,
} from './sources.js'

/** The destination of a transfer. */
export interface DestinationFolder {
  readonly folderId: string
  /** Creates the folder if it does not exist yet. */
  readonly step?: CallStep
  /** The ID of the folder itself, or of its parent if it does not exist yet. */
  readonly above: string
  /** The ID of its shared drive. */
  readonly driveId?: string
  /** The new title of a single item; without it, each item keeps its title. */
  readonly title?: string
}

/** The destination of a transfer, and how conflicts are resolved. */
export interface Placement {
  readonly target: DestinationFolder
  readonly names: FolderNames
  readonly ifExists: (title: string) => Promise<IfExists>
}

/** The kind of sources: a single file or folder, the contents of one folder, or several items. */
export type SourceKind = 'file' | 'folder' | 'contents' | 'several'

/**
 * Resolves DEST: an existing folder, or a new name in an existing folder. A single item can get the new name;
 * for the contents of a folder, the target is a new folder. Throws `CommandError`, and `UsageError` for a
 * local path.
 */
export async function targetOf(
  context: Context,
  word: string,
  {sourceKind, sources}: {readonly sourceKind: SourceKind; readonly sources: readonly string[]},
): Promise<DestinationFolder> {
  const place = readRemotePath(word)
  if (place.start.in === 'trash') {
    throw new UsageError(
      `Cannot use ${word} as DEST: it is in the trash.`,
      'To move items to the trash, run `drv rm`.',
    )
  }
  const client = await context.client()
  const sharing = sourceKind === 'contents' ? await shareIds(context) : undefined
  return withExitCodes(async () => {
    const named = await resolveRemotePath(client, place, chooseAt(context))
    const {missing} = named
    // A shortcut to a folder means the folder; a shortcut to a file is an existing item.
    const {entry, driveId} = missing.length === 0 ? await followToFolder(client, named) : named
    const at = (above: string) => ({
      folderId: above,
      above,
      ...(driveId !== undefined && {driveId}),
    })
    const [title, second] = missing
    if (title === undefined) {
      if (entry.kind === 'folder') return at(entry.id)
      const isName = (sourceKind === 'file' || sourceKind === 'folder') && !place.isContents
      if (!isName) throw noFolder(entry, word)
      const [parent] = parentIds(await recordOf(client, entry.id))
      if (typeof parent === 'string') return {...at(parent), title: entry.title}
      throw new CommandError(
        'failed',
        `Cannot use ${word} as DEST: it is not in a folder that you can see.`,
      )
    }
    if (existsSync(word)) throw localTarget(sources, word)
    const isNew = sourceKind === 'folder' || (sourceKind === 'file' && !place.isContents)
    if (second === undefined && isNew) return {...at(entry.id), title}
    if (second === undefined && sharing) {
      const make = {path: word, parent: '', name: title}
      const folders = new Map([['', entry.id]])
      const {id, isThere} = (await shareFolders(client, [make], {...sharing, folders})).get(word)!
      forgetOnSuccess(context, sharing, [id])
      if (isThere) return at(id)
      const folder = {id, title, parent: entry.id}
      return {
        ...at(entry.id),
        folderId: id,
        step: createFolderStep(word, folder, {isAside: true, mayBeDone: true}),
      }
    }
    // If the source can get a new name, the last part of the path is that name.
    const folder = (isNew ? /^(.*)\/[^/]+\/?$/s.exec(word)?.[1] : undefined) ?? word
    throw new CommandError(
      'notFound',
      `The folder ${folder} does not exist.`,
      `To create it, run \`drv mkdir -p ${shellWord(folder)}\`.`,
    )
  })
}

/** The existing names in the target that may conflict with the sources. */
export async function takenNames(
  client: Client,
  {folderId, driveId, title, step}: DestinationFolder,
  sources: readonly SourceItem[],
): Promise<FolderNames> {
  if (step) return createFolderNames([])
  const titles = title === undefined ? sources.map(({entry}) => entry.title) : [title]
  const wanted = {folderIds: [folderId], ...(driveId !== undefined && {driveId})}
  const found = await searchEntries(
    client,
    fitsOneSearch(new Set(titles)) ? {...wanted, titles: [...new Set(titles)]} : wanted,
  )
  return createFolderNames(
    found.map(({entry}) => entry),
    // Finding an unused number requires all names.
    async () => (await searchEntries(client, wanted)).map(({entry}) => entry),
  )
}

/** Throws `UsageError` if the target is one of the source folders or inside one. */
export async function refuseIntoItself(
  client: Client,
  {above}: DestinationFolder,
  sources: readonly SourceItem[],
): Promise<void> {
  const folders = new Map(
    sources.filter(({entry}) => entry.kind === 'folder').map(one => [one.entry.id, one.original]),
  )
  if (folders.size === 0) return
  const seen = new Set<string>()
  for (let id: string | undefined = above; id !== undefined && !seen.has(id);) {
    const inside = folders.get(id)
    if (inside !== undefined) {
      throw new UsageError(
        `Cannot put the folder ${inside} into itself or one of its subfolders.`,
        'Choose a DEST outside of it.',
      )
    }
    seen.add(id)
    const [parent] = parentIds(await recordOf(client, id))
    id = typeof parent === 'string' ? parent : undefined
  }
}

/**
 * Throws `UsageError` for local paths in `drv cp` and `drv mv`: words that look like one, and existing local
 * files that are not written as remote paths.
 */
export function refuseLocal(sources: readonly string[], target: string): void {
  const source = sources.find(isLocal)
  if (source !== undefined) throw localSource(source, target)
  if (isLocal(target)) throw localTarget(sources, target)
}

/** The error for a source that is a local path. */
export function localSource(source: string, target: string): UsageError {
  return localWord(source, `drv push ${source} ${target}`, 'upload it')
}

/** The error for a target that is a local path. */
export function localTarget(sources: readonly string[], target: string): UsageError {
  const some = sources.length > 3 ? 'SOURCE...' : sources.join(' ')
  return localWord(target, `drv pull ${some} ${target}`, 'download to it')
}

function localWord(word: string, line: string, purpose: string): UsageError {
  return new UsageError(
    `${word} is a local path; SOURCE and DEST must be remote.`,
    `To ${purpose}, run \`${line}\`.`,
  )
}

function isLocal(word: string): boolean {
  if (/^(\.{1,2}([/\\]|$)|~|file:|[A-Za-z]:[\\/])/.test(word)) return true
  return !/^(\/|(drive|trash|shared|id|https?):)/.test(word) && word !== 'root' && existsSync(word)
}

/** The arguments and flags of `drv cp`, `drv mv` and `drv ln`. */

export const transferArgs = {
  source: Args.string({
    description: 'Files and folders (paths, links or IDs); - reads them from standard input.',
    required: true,
    multiple: true,
    ignoreStdin: true,
  }),
  dest: Args.string({
    description: 'Existing folder, or the new name of a single SOURCE.',
    required: true,
    ignoreStdin: true,
  }),
}

export const transferFlags = {
  ...ifExistsFlag('By default, drv asks at a terminal and fails elsewhere.'),
  ...fromFlag,
}

/**
 * The steps that copy, move or link sources to DEST; `plan` returns the steps of each source that was found.
 * With `mayNest`, DEST may be inside a source folder, because a shortcut to a folder can be in that folder.
 */
export async function planTransfer(
  context: Context,
  {args, flags}: Parsed,
  action: 'copy' | 'link' | 'move',
  check: (word: string) => void,
  plan: (client: Client, sources: readonly SourceItem[], placing: Placement) => Promise<Step[][]>,
  {mayNest = false, follows = false} = {},
): Promise<Step[]> {
  const {from} = flags
  // With --from and one word, oclif assigns the word to SOURCE, but it is DEST.
  const all = [args.source ?? [], args.dest ?? []].flat().map(String)
  const dest = all.at(-1)
  if (dest === undefined) throw new UsageError('Missing DEST: a folder, or a new name.')
  const words = await filesOf(context, {words: all.slice(0, -1), from})
  refuseLocal(words, dest)
  for (const word of words) check(word)
  const found = await sourcesOf(context, words, {follows})
  const broken = found.filter((one): one is MissingSource => 'error' in one)
  const local = broken.find(({original, error}) => isMissing(error) && existsSync(original))
  if (local) throw localSource(local.original, dest)
  const sources = found.filter((one): one is SourceItem => !('error' in one))
  if (sources.length === 0) return broken
  const sourceKind = sourceKindOf(words, sources)
  const target = await targetOf(context, dest, {sourceKind, sources: words})
  const client = await context.client()
  if (!mayNest) await refuseIntoItself(client, target, sources)
  const names = await takenNames(client, target, sources)
  const ifExists = ifExistsAt(context, ifExistsOf(flags))
  const planned = await plan(client, sources, {target, names, ifExists})
  const isNewName = target.title !== undefined
  const changes = new Map<Step, Change>()
  const steps = found.flatMap((one): Step[] => {
    if ('error' in one) return [one]
    const own = planned.shift()!
    const main = own.find(({isAside}) => !isAside)
    if (main) changes.set(main, transferChange(own, one, action, {dest, isNewName}))
    return own
  })
  return mapSteps(target.step ? [target.step, ...steps] : steps, step => {
    const change = changes.get(step)
    return change ? {...step, change: () => change} : step
  })
}

function isMissing(error: unknown): boolean {
  return error instanceof CommandError && error.exit === 'notFound'
}

function sourceKindOf(
  [word, second]: readonly string[],
  [source]: readonly SourceItem[],
): SourceKind {
  if (second !== undefined) return 'several'
  if (readRemotePath(word!).isContents) return 'contents'
  return source!.entry.kind === 'folder' ? 'folder' : 'file'
}
