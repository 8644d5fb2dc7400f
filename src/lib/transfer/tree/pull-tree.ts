import {FOLDER_TYPE} from '#lib/api/wire.js'
import type {Client} from '#lib/client/client.js'
import type {NameRules} from '#lib/transfer/local/names.js'
import type {IgnoreRules} from '#lib/transfer/local/rules.js'
import {abandonedIn, readFolder} from '#lib/transfer/local/scan.js'
import {copiesBy, type Endings, endingsFor, withExports} from '#lib/transfer/remote/exports.js'
import {gatherCalls} from '#lib/transfer/remote/gather.js'
import {followEntries} from '#lib/transfer/remote/shortcuts.js'
import type {IfExists} from '#lib/transfer/resolve-conflict.js'
import type {Excluded, RemoteEntry, RemoteFolder} from './entries.js'
import {type IsWanted, removableParts, withoutExcluded, withoutOtherTypes} from './exclusions.js'
import {planPull, type PullPlan, type PullPlanOptions} from './pull-plan.js'
import {compareChecksums, settlePull} from './settle.js'
import {type FolderStep, joinPath, parentOf, type PullStep} from './steps.js'
import {type FolderPair, isBelowFolder, type SubfolderPair, walkPairs} from './walk.js'

/** The plan for some folders, outer ones first. */
export interface PullPiece extends Pick<PullPlan, 'renamed' | 'twins' | 'known' | 'parts'> {
  /** In executable order. */
  readonly steps: readonly PullStep[]
  /** Paths of partial files that killed processes left and nobody resumes. */
  readonly abandoned: readonly string[]
  readonly leftOut: Excluded
}

export interface PullTreeOptions extends Omit<PullPlanOptions, 'isCopy'> {
  readonly client: Client
  readonly signal: AbortSignal
  readonly rules: NameRules
  readonly ifExists: IfExists
  /** Extensions of the formats to export documents in. */
  readonly formats: readonly string[]
  /** Rules for excluding entries, which stay unchanged on both sides. */
  readonly leftOutBy: IgnoreRules
  /** Excludes files of other types, and folders in which nothing is wanted. */
  readonly isWanted?: IsWanted
  /** Whether to replace shortcuts with their targets. */
  readonly follows: boolean
  /** The remembered tree, which also records the plan. */
  readonly memory?: PullMemory
}

/** The memory of earlier pulls of a tree. */
export interface PullMemory {
  /** The entries of remote folders, from memory where they are known. */
  list(folders: readonly RemoteFolder[]): Promise<Map<string, readonly RemoteEntry[]>>
  /**
   * The pair with the known MD5 of each local file that has not changed, and without remote items whose removals are
   * still to be pushed.
   */
  recall(pair: FolderPair): FolderPair
  /** Notes the plan of a folder, and returns it without subfolders that need no plan. */
  planned(plan: PullPlan): PullPlan
}

/** The plan of a pull, piece by piece; the last piece has the removals. */
export function planPullTree(
  {remote, ...top}: SubfolderPair & {readonly remote: RemoteFolder},
  options: PullTreeOptions,
): AsyncGenerator<PullPiece> {
  // A file that the command line names twice is downloaded once.
  const entries = remote.entries && [...new Map(remote.entries.map(one => [one.id, one])).values()]
  return planPairs([{...top, remote: {...remote, entries}, names: []}], options, true)
}

/** The plan of a pull of some folders of a tree; with `areRead`, they are already read. */
export async function* planPairs(
  tops: readonly FolderPair[],
  options: PullTreeOptions,
  areRead = false,
): AsyncGenerator<PullPiece> {
  const {client, signal, rules, formats, leftOutBy, follows, isWanted, memory} = options
  const reads = gatherCalls(client)
  let endings: Endings = () => []
  const adapt = async (folder: RemoteFolder, pair: Pick<FolderPair, 'names' | 'above'>) => {
    const above = {id: folder.id, above: pair.above}
    const isAbove = (id: string) => isBelowFolder(id, above)
    const {entries = []} = folder
    const whole = follows
      ? {...folder, entries: await followEntries(reads, entries, {isAbove})}
      : folder
    endings = await endingsFor(whole, endings)
    const files = withExports(whole, formats, endings, rules)
    const left = await withoutExcluded(files, leftOutBy, pair.names)
    return isWanted ? withoutOtherTypes(left, isWanted) : left
  }
  const isCopy: PullPlanOptions['isCopy'] = (document, name) =>
    copiesBy(endings, rules)(document, name)
  const removals: PullStep[] = []
  const areFoldersWanted = isWanted?.({title: '', mimeType: FOLDER_TYPE}) ?? true
  const held = new Map<string, FolderStep>()
  const plan = (pair: FolderPair): PullPlan => {
    const planned = planPull(memory?.recall(pair) ?? pair, {...options, isCopy})
    return memory?.planned(planned) ?? planned
  }
  const adapted = async (pair: FolderPair) =>
    pair.remote ? {...pair, remote: await adapt(pair.remote, pair)} : pair
  const walk = walkPairs<PullPlan>(
    areRead ? await Promise.all(tops.map(adapted)) : tops,
    {client, signal, adapt, plan, ...(memory && {list: memory.list})},
    areRead,
  )
  for await (const plans of walk) {
    const leftOut = {folders: 0, files: 0}
    const abandoned: string[] = []
    for (const {pair, steps, parts} of plans) {
      const {path, local} = pair
      leftOut.folders += pair.remote?.leftOut?.folders ?? 0
      leftOut.files += pair.remote?.leftOut?.files ?? 0
      const kept = new Set(parts.values())
      abandoned.push(...(local ? abandonedIn(local, kept) : []).map(name => joinPath(path, name)))
      for (const step of steps)
        if (step.action === 'remove') removals.push(...(await removalsOf(step)))
    }
    const now = plans.flatMap(({steps}) => steps.filter(({action}) => action !== 'remove'))
    const open = withNeededFolders(now, held, step => !areFoldersWanted || step.isOptional === true)
    yield {
      steps: await settlePull(await compareChecksums(open, signal), options),
      renamed: plans.flatMap(plan => plan.renamed),
      twins: plans.flatMap(plan => plan.twins),
      known: new Map(plans.flatMap(plan => [...plan.known])),
      parts: new Map(plans.flatMap(plan => [...plan.parts])),
      abandoned,
      leftOut,
    }
  }
  if (removals.length === 0) return
  const none = {renamed: [], twins: [], known: new Map(), parts: new Map(), abandoned: []}
  yield {steps: removals, ...none, leftOut: {folders: 0, files: 0}}
}

/**
 * The steps without optional folders in which nothing is downloaded yet, which move to `held`, and with the held
 * folders that others need, each before its contents.
 */
export function withNeededFolders(
  steps: readonly PullStep[],
  held: Map<string, FolderStep>,
  isOptional: (step: FolderStep) => boolean,
): PullStep[] {
  const needed = (path: string): PullStep[] => {
    const step = held.get(path)
    if (!step) return []
    held.delete(path)
    return [...needed(step.parent), step]
  }
  return steps.flatMap(step => {
    if (step.action === 'folder' && isOptional(step)) {
      held.set(step.path, step)
      return []
    }
    const isInside = step.action === 'download' || step.action === 'folder'
    return isInside ? [...needed(parentOf(step.path)), step] : [step]
  })
}

/** The steps that move an entry aside, except its excluded parts. */
async function removalsOf({
  path,
  entry,
}: Extract<PullStep, {readonly action: 'remove'}>): Promise<PullStep[]> {
  const {unread, ...folder} = entry.kind === 'folder' ? entry : {...entry, unread: undefined}
  const whole =
    unread && folder.kind === 'folder' ? await readFolder({...folder, unread}, false) : entry
  return removableParts(whole, path).map(going => ({action: 'remove', ...going}))
}
