import type {Change} from '#lib/cli/changes/change.js'
import type {Context} from '#lib/cli/context/context.js'
import {forgetOnSuccess, shareIds} from '#lib/cli/input/names/id-sharing.js'
import {chooseAt, readRemotePath, withExitCode} from '#lib/cli/input/names/resolver.js'
import type {CallStep, Step} from '#lib/cli/run/plan.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import type {CallInput, Client} from '#lib/client/client.js'
import {isIdTaken} from '#lib/client/errors.js'
import {pathKey, titleKey} from '#lib/transfer/local/names.js'
import {folderCreation, type NewFolder, shareFolders} from '#lib/transfer/remote/folders.js'
import {ALL_DRIVES} from '#lib/transfer/remote/records.js'
import type {Found, RemotePath} from '#lib/transfer/remote/remote-path.js'
import {type Located, resolveRemotePaths} from '#lib/transfer/remote/resolve.js'
import {followToFolder} from '#lib/transfer/remote/shortcuts.js'
import {wordFor} from '#lib/transfer/tree/entries.js'
import type {Make} from '#lib/transfer/tree/reserved-ids.js'

/** Creates a folder; with `mayBeDone` the one that another process creates at the same time is as good. */
export function makingFolder(
  original: string,
  folder: NewFolder,
  {mayBeDone, ...rest}: Omit<CallStep, 'original' | 'call'> & {readonly mayBeDone?: boolean},
  params?: CallInput['params'],
): CallStep {
  const {id, input} = folderCreation(folder, params)
  return {original, call: {id, input: {...input, ...(mayBeDone && {mayBeDone})}}, ...rest}
}

/** Shows what is there already as the result. */
export function showing(original: string, fileId: string): CallStep {
  return {original, call: {id: 'files.get', input: {params: {fileId, ...ALL_DRIVES}}}}
}

/** Shows the folder that exists. */
function keeping(original: string, fileId: string): CallStep {
  const change: Change = {action: 'keep', thing: original, isFolder: true}
  return {...showing(original, fileId), change: () => change}
}

/**
 * The steps that create the folders of some paths; with `isDeep` also those on the way, and a folder
 * that exists is shown. Paths are resolved together, and one may lead through the folder of another.
 * Other processes that create the same folders use the same IDs. Throws `UsageError` for a word that
 * is no path of a new folder.
 */
export async function planFolders(
  context: Context,
  words: readonly string[],
  isDeep: boolean,
): Promise<Step[]> {
  const places = words.map(readNewFolder)
  const sharing = await shareIds(context)
  const client = await context.client()
  const named = await resolveRemotePaths(client, places, chooseAt(context))
  const located = isDeep ? await Promise.all(named.map(one => ledToFolder(client, one))) : named
  const missing = new Map<string, Make>()
  const plans = located.map((one, index) => {
    if ('error' in one) return {error: withExitCode(one.error)}
    return planPath(missing, one.found, places[index]!, isDeep)
  })
  const starts = located.flatMap(one => ('found' in one ? [one.found.entry.id] : []))
  const folders = new Map(starts.map(id => [id, id]))
  const shared = await shareFolders(client, [...missing.values()], {...sharing, folders})
  forgetOnSuccess(
    context,
    sharing,
    [...shared.values()].map(({id}) => id),
  )

  const ready = new Map<string, {readonly id: string; readonly step?: CallStep}>()
  const stepFor = (
    original: string,
    {path, parent, name: title}: Make,
    isAside: boolean,
  ): CallStep => {
    const {id} = shared.get(path)!
    const above = ready.get(parent) ?? {id: parent}
    const taken = isThere(original, BY_ANOTHER_PROCESS)
    const recover = async (error: unknown) => ({error: isIdTaken(error) ? taken : error})
    const change = () => ({action: 'create', thing: original, isFolder: true}) as const
    const ways = {after: above.step, isAside, mayBeDone: isDeep, ...(!isDeep && {recover})}
    const rest = {...ways, ...(!isAside && {change})}
    return makingFolder(original, {id, title, parent: above.id}, rest)
  }
  return plans.flatMap((plan, index): Step[] => {
    const original = words[index]!
    if ('error' in plan) return [{original, error: plan.error}]
    if ('folder' in plan) {
      if (isDeep) return [keeping(original, plan.folder)]
      return [{original, error: isThere(original, `a folder with the ID ${plan.folder}`)}]
    }
    const steps: CallStep[] = []
    for (const make of plan.makes) {
      const {id, isThere: isDone} = shared.get(make.path)!
      const isLast = make === plan.makes.at(-1)
      const known = ready.get(make.path)
      if (!known && !isDone) {
        const step = stepFor(original, make, !isLast)
        steps.push(step)
        ready.set(make.path, {id, step})
        continue
      }
      if (!known) ready.set(make.path, {id})
      if (!isLast) continue
      const by = known ? 'another of these folders' : BY_ANOTHER_PROCESS
      if (!isDeep) return [{original, error: isThere(original, by)}]
      steps.push({...keeping(original, id), after: known?.step})
    }
    return steps
  })
}

/** The same, with the folder that a shortcut leads to. */
async function ledToFolder(client: Client, located: Located): Promise<Located> {
  if ('error' in located || located.found.missing.length > 0) return located
  return {found: await followToFolder(client, located.found)}
}

const BY_ANOTHER_PROCESS = 'another process created it'

/** A folder that exists, those to create on the way to it and itself, or why none of that is possible. */
type PathPlan =
  {readonly folder: string} | {readonly makes: readonly Make[]} | {readonly error: unknown}

/** What a path needs; what is new is added to `missing`, each once, an outer folder first. */
function planPath(
  missing: Map<string, Make>,
  {entry, missing: titles}: Found,
  place: RemotePath,
  isDeep: boolean,
): PathPlan {
  if (titles.length === 0) {
    if (entry.kind === 'folder') return {folder: entry.id}
    return {error: isThere(place.text, `${wordFor(entry)} with the ID ${entry.id}`)}
  }
  const makes: Make[] = []
  let parent = entry.id
  for (const [index, name] of titles.entries()) {
    const path = pathKey([parent, titleKey(name)])
    const known = missing.get(path)
    if (!known && !isDeep && index < titles.length - 1) return {error: noParent(place, name)}
    makes.push(known ?? {path, parent, name})
    parent = path
  }
  for (const make of makes) missing.set(make.path, make)
  return {makes}
}

function readNewFolder(word: string): RemotePath {
  const place = readRemotePath(word)
  const {start, names} = place
  if (start.in === 'trash') {
    throw new UsageError(`${word} is in the trash, where nothing can be made.`)
  }
  if (start.in === 'id' && names.length === 0) {
    throw new UsageError(
      `${word} is an ID or a link, not the path of a new folder.`,
      `Remote paths start with a slash: /${word}`,
    )
  }
  return place
}

function isThere(word: string, what: string): CommandError {
  return new CommandError(
    'conflict',
    `${word} is there already: ${what}.`,
    'With -p a folder that is there is fine.',
  )
}

function noParent({text}: RemotePath, name: string): CommandError {
  return new CommandError(
    'notFound',
    `${text} was not made: there is no ${JSON.stringify(name)} on the way to it.`,
    'With -p what is missing on the way is made too.',
  )
}
