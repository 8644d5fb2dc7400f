import {existsSync} from 'node:fs'
import {Args} from '@oclif/core'
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
import {parentIds} from '#lib/transfer/remote/records.js'
import {resolveRemotePath} from '#lib/transfer/remote/resolve.js'
import {noFolder} from '#lib/transfer/remote/resolve-error.js'
import {followToFolder} from '#lib/transfer/remote/shortcuts.js'
import type {IfExists} from '#lib/transfer/resolve-conflict.js'
import {wordFor} from '#lib/transfer/tree/entries.js'
import {createNames, ifExistsAt, type Names} from './folder-names.js'
import {makingFolder} from './make-folders.js'
import {filesOf, fromFlag} from './path-arguments.js'
import {type MissingSource, recordOf, type Source, sourcesOf, transferChange} from './sources.js'

/** Where things go. */
export interface Target {
  readonly folderId: string
  /** Makes the folder, where it is not there yet. */
  readonly step?: CallStep
  /** The folder that is there: itself, or the one it is to be in. */
  readonly above: string
  /** The shared drive it is in. */
  readonly driveId?: string
  /** The title that the one thing gets; without it each keeps its own. */
  readonly title?: string
}

/** Where things go, and what becomes of those whose names are taken. */
export interface Placing {
  readonly target: Target
  readonly names: Names
  readonly ifExists: (title: string) => Promise<IfExists>
}

/** What goes there: one thing, what is in one folder, or several things. */
export type Load = 'file' | 'folder' | 'contents' | 'several'

/**
 * Where `word` leads: into the folder that it names, or to a name in the folder that it is in. One
 * thing may get a new name, and the contents of a folder a new folder of their own. Throws
 * `CommandError`, and `UsageError` for a path of this machine.
 */
export async function targetOf(
  context: Context,
  word: string,
  {load, sources}: {readonly load: Load; readonly sources: readonly string[]},
): Promise<Target> {
  const place = readRemotePath(word)
  if (place.start.in === 'trash') {
    throw new UsageError(`${word} is in the trash.`, 'Put things there with `drv rm`.')
  }
  const client = await context.client()
  const sharing = load === 'contents' ? await shareIds(context) : undefined
  return withExitCodes(async () => {
    const named = await resolveRemotePath(client, place, chooseAt(context))
    const {missing} = named
    // A shortcut to a file is a name that is taken; one to a folder is the folder.
    const {entry, driveId} = missing.length === 0 ? await followToFolder(client, named) : named
    const at = (above: string) => ({
      folderId: above,
      above,
      ...(driveId !== undefined && {driveId}),
    })
    const [title, second] = missing
    if (title === undefined) {
      if (entry.kind === 'folder') return at(entry.id)
      const isName = (load === 'file' || load === 'folder') && !place.isContents
      if (!isName) throw noFolder(entry, word)
      const [parent] = parentIds(await recordOf(client, entry.id))
      if (typeof parent === 'string') return {...at(parent), title: entry.title}
      throw new CommandError('failed', `${word} is ${wordFor(entry)} in no folder of yours.`)
    }
    if (existsSync(word)) throw localTarget(sources, word)
    const isNew = load === 'folder' || (load === 'file' && !place.isContents)
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
        step: makingFolder(word, folder, {isAside: true, mayBeDone: true}),
      }
    }
    // The last name is the new one where the thing may get one.
    const folder = (isNew ? /^(.*)\/[^/]+\/?$/s.exec(word)?.[1] : undefined) ?? word
    throw new CommandError(
      'notFound',
      `There is no folder ${folder}.`,
      `\`drv mkdir -p ${shellWord(folder)}\` makes it.`,
    )
  })
}

/** The names that are taken in the target, as far as the sources may meet them. */
export async function namesIn(
  client: Client,
  {folderId, driveId, title, step}: Target,
  sources: readonly Source[],
): Promise<Names> {
  if (step) return createNames([])
  const titles = title === undefined ? sources.map(({entry}) => entry.title) : [title]
  const wanted = {folderIds: [folderId], ...(driveId !== undefined && {driveId})}
  const found = await searchEntries(
    client,
    fitsOneSearch(new Set(titles)) ? {...wanted, titles: [...new Set(titles)]} : wanted,
  )
  return createNames(
    found.map(({entry}) => entry),
    // Which numbers are free is known only once all names are.
    async () => (await searchEntries(client, wanted)).map(({entry}) => entry),
  )
}

/** Throws `UsageError` where a folder among the sources would go into itself or below. */
export async function refuseIntoItself(
  client: Client,
  {above}: Target,
  sources: readonly Source[],
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
        `The folder ${inside} cannot go into itself, or into a folder below it.`,
        'Name a folder outside of it.',
      )
    }
    seen.add(id)
    const [parent] = parentIds(await recordOf(client, id))
    id = typeof parent === 'string' ? parent : undefined
  }
}

/**
 * Throws `UsageError` for words of `drv cp` or `drv mv` that mean something on this machine: what
 * looks like a path of its own, and what is there and is written as no path of the service.
 */
export function refuseLocal(sources: readonly string[], target: string): void {
  const source = sources.find(isLocal)
  if (source !== undefined) throw localSource(source, target)
  if (isLocal(target)) throw localTarget(sources, target)
}

/** What to say where a source is a path of this machine. */
export function localSource(source: string, target: string): UsageError {
  return localWord(source, `drv push ${source} ${target}`, 'uploads it')
}

/** What to say where the target is a path of this machine. */
export function localTarget(sources: readonly string[], target: string): UsageError {
  const some = sources.length > 3 ? 'SOURCE...' : sources.join(' ')
  return localWord(target, `drv pull ${some} ${target}`, 'downloads into it')
}

function localWord(word: string, line: string, does: string): UsageError {
  return new UsageError(
    `${word} is a path of this machine, and both places have to be in the service.`,
    `\`${line}\` ${does}.`,
  )
}

function isLocal(word: string): boolean {
  if (/^(\.{1,2}([/\\]|$)|~|file:|[A-Za-z]:[\\/])/.test(word)) return true
  return !/^(\/|(drive|trash|shared|id|https?):)/.test(word) && word !== 'root' && existsSync(word)
}

/** What `drv cp` and `drv mv` share. */

export const transferArgs = {
  source: Args.string({
    description:
      'Files and folders: a path, a link or an ID. Several may be named, or - for the lines of standard input.',
    required: true,
    multiple: true,
    ignoreStdin: true,
  }),
  dest: Args.string({
    description: 'A folder to put them into, or a new name for the one.',
    required: true,
    ignoreStdin: true,
  }),
}

export const transferFlags = {
  ...ifExistsFlag('Without it a terminal asks, and elsewhere nothing is put there.'),
  ...fromFlag,
}

/**
 * The steps of a command line that puts sources somewhere; `plan` gives those of each that was found.
 * With `mayNest` a folder may be put into itself, as its shortcut can be.
 */
export async function planTransfer(
  context: Context,
  {args, flags}: Parsed,
  action: 'copy' | 'link' | 'move',
  check: (word: string) => void,
  plan: (client: Client, sources: readonly Source[], placing: Placing) => Promise<Step[][]>,
  {mayNest = false, follows = false} = {},
): Promise<Step[]> {
  const {from} = flags
  // Behind --from the last word is the target, whatever oclif takes it for.
  const given = [args.source ?? [], args.dest ?? []].flat().map(String)
  const dest = given.at(-1)
  if (dest === undefined) throw new UsageError('DEST is missing: where it is to go.')
  const words = await filesOf(context, {words: given.slice(0, -1), from})
  refuseLocal(words, dest)
  for (const word of words) check(word)
  const found = await sourcesOf(context, words, {follows})
  const broken = found.filter((one): one is MissingSource => 'error' in one)
  const local = broken.find(({original, error}) => isMissing(error) && existsSync(original))
  if (local) throw localSource(local.original, dest)
  const sources = found.filter((one): one is Source => !('error' in one))
  if (sources.length === 0) return broken
  const load = loadOf(words, sources)
  const target = await targetOf(context, dest, {load, sources: words})
  const client = await context.client()
  if (!mayNest) await refuseIntoItself(client, target, sources)
  const names = await namesIn(client, target, sources)
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
  const all = target.step ? [target.step, ...steps] : steps
  return mapSteps(all, step => {
    const change = changes.get(step)
    return change ? {...step, change: () => change} : step
  })
}

function isMissing(error: unknown): boolean {
  return error instanceof CommandError && error.exit === 'notFound'
}

function loadOf([word, second]: readonly string[], [source]: readonly Source[]): Load {
  if (second !== undefined) return 'several'
  if (readRemotePath(word!).isContents) return 'contents'
  return source!.entry.kind === 'folder' ? 'folder' : 'file'
}
