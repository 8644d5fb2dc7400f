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
import type {RemotePath, ResolvedPath} from '#lib/transfer/remote/remote-path.js'
import {type Located, resolveRemotePaths} from '#lib/transfer/remote/resolve.js'
import {followToFolder} from '#lib/transfer/remote/shortcuts.js'
import {entryKindText} from '#lib/transfer/tree/entries.js'
import type {Make} from '#lib/transfer/tree/reserved-ids.js'

/** The step that creates a folder; with `mayBeDone`, it accepts one that another process creates at the same time. */
export function createFolderStep(
  original: string,
  folder: NewFolder,
  {mayBeDone, ...rest}: Omit<CallStep, 'original' | 'call'> & {readonly mayBeDone?: boolean},
  params?: CallInput['params'],
): CallStep {
  const {id, input} = folderCreation(folder, params)
  return {original, call: {id, input: {...input, ...(mayBeDone && {mayBeDone})}}, ...rest}
}

/** The step that returns an existing item as the result. */
export function showStep(original: string, fileId: string): CallStep {
  return {original, call: {id: 'files.get', input: {params: {fileId, ...ALL_DRIVES}}}}
}

/** The step that returns an existing folder, and reports that it was kept. */
function keepStep(original: string, fileId: string): CallStep {
  const change: Change = {action: 'keep', thing: original, isFolder: true}
  return {...showStep(original, fileId), change: () => change}
}

/**
 * The steps that create the folders at some paths; with `isDeep`, also their missing parents, and existing
 * folders are accepted. Paths are resolved together, and one may be inside another. Concurrent processes that
 * create the same folders use the same IDs. Throws `UsageError` for a word that is not the path of a new folder.
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
  const located = isDeep ? await Promise.all(named.map(one => followFolder(client, one))) : named
  const missing = new Map<string, Make>()
  const plans = located.map((one, index) => {
    if ('error' in one) return {error: withExitCode(one.error)}
    return planPath(missing, one.found, places[index]!, isDeep)
  })
  const starts = located.flatMap(one => ('found' in one ? [one.found.entry.id] : []))
  const folders = new Map(starts.map(id => [id, id]))
  const shared = await shareFolders(client, [...missing.values()], {...sharing, folders})
  const created = [...shared.values()].map(({id}) => id)
  // A killed run may have created those that are there.
  forgetOnSuccess(context, sharing, [...starts, ...created])

  const ready = new Map<string, {readonly id: string; readonly step?: CallStep}>()
  const stepFor = (
    original: string,
    {path, parent, name: title}: Make,
    isAside: boolean,
  ): CallStep => {
    const {id} = shared.get(path)!
    const above = ready.get(parent) ?? {id: parent}
    const conflict = alreadyExists(original, BY_ANOTHER_PROCESS)
    const recover = async (error: unknown) => ({error: isIdTaken(error) ? conflict : error})
    const change = () => ({action: 'create', thing: original, isFolder: true}) as const
    const ways = {after: above.step, isAside, mayBeDone: isDeep, ...(!isDeep && {recover})}
    const rest = {...ways, ...(!isAside && {change})}
    return createFolderStep(original, {id, title, parent: above.id}, rest)
  }
  return plans.flatMap((plan, index): Step[] => {
    const original = words[index]!
    if ('error' in plan) return [{original, error: plan.error}]
    if ('folder' in plan) {
      if (isDeep) return [keepStep(original, plan.folder)]
      return [{original, error: alreadyExists(original, `a folder with the ID ${plan.folder}`)}]
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
      const by = known ? 'the same folder was passed twice' : BY_ANOTHER_PROCESS
      if (!isDeep) return [{original, error: alreadyExists(original, by)}]
      steps.push({...keepStep(original, id), after: known?.step})
    }
    return steps
  })
}

/** The same place; for a shortcut, the folder that is its target. */
async function followFolder(client: Client, located: Located): Promise<Located> {
  if ('error' in located || located.found.missing.length > 0) return located
  return {found: await followToFolder(client, located.found)}
}

const BY_ANOTHER_PROCESS = 'another process created it'

/** An existing folder, the folders to create (parents first), or an error. */
type PathPlan =
  {readonly folder: string} | {readonly makes: readonly Make[]} | {readonly error: unknown}

/** The plan for one path; adds each new folder to `missing` once, parents first. */
function planPath(
  missing: Map<string, Make>,
  {entry, missing: titles}: ResolvedPath,
  place: RemotePath,
  isDeep: boolean,
): PathPlan {
  if (titles.length === 0) {
    if (entry.kind === 'folder') return {folder: entry.id}
    return {error: alreadyExists(place.text, `${entryKindText(entry)} with the ID ${entry.id}`)}
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
    throw new UsageError(`Cannot create ${word}: folders cannot be created in the trash.`)
  }
  if (start.in === 'id' && names.length === 0) {
    throw new UsageError(
      `${word} is an ID or a link, not the path of a new folder.`,
      `Remote paths start with a slash: /${word}`,
    )
  }
  return place
}

function alreadyExists(word: string, what: string): CommandError {
  return new CommandError(
    'conflict',
    `Cannot create ${word}: it already exists (${what}).`,
    'Pass -p to accept an existing folder.',
  )
}

function noParent({text}: RemotePath, name: string): CommandError {
  return new CommandError(
    'notFound',
    `Cannot create ${text}: the parent folder ${JSON.stringify(name)} does not exist.`,
    'Pass -p to create missing parents.',
  )
}
