import type {Client} from '#lib/client/client.js'
import {type NameRules, plainName, titleKey} from '#lib/transfer/local/names.js'
import type {IgnoreRules} from '#lib/transfer/local/rules.js'
import {copiesBy, endingsFor} from '#lib/transfer/remote/exports.js'
import {gatherCalls} from '#lib/transfer/remote/gather.js'
import {listFolder} from '#lib/transfer/remote/listing.js'
import {followEntries} from '#lib/transfer/remote/shortcuts.js'
import type {IfExists} from '#lib/transfer/resolve-conflict.js'
import type {
  Excluded,
  LocalFile,
  LocalFolder,
  RemoteFile,
  RemoteFolder,
  RemoteOther,
} from './entries.js'
import {namesBelow, removableParts, shouldList, withoutExcluded} from './exclusions.js'
import {
  planContent,
  planPush,
  type PushedTwin,
  type PushPlan,
  type PushPlanOptions,
  resolveTwins,
} from './push-plan.js'
import {compareChecksums, settlePush} from './settle.js'
import type {PushStep} from './steps.js'
import {type SubfolderPair, walkTrees} from './walk.js'

/** The plan for some folders, outer ones first. */
export interface PushPiece {
  /** In executable order. */
  readonly steps: readonly PushStep[]
  /** IDs of existing folders by path; '' for the top. */
  readonly folders: ReadonlyMap<string, string>
  /** IDs of all entries listed in those folders. */
  readonly seen: ReadonlySet<string>
  readonly twins: ReadonlyArray<PushedTwin & {readonly id: string}>
  readonly leftOut: Excluded
}

export interface PushTreeOptions extends Omit<PushPlanOptions, 'isCopy'> {
  readonly rules: NameRules
  readonly client: Client
  readonly signal: AbortSignal
  readonly ifExists: IfExists
  /** Rules for excluding entries, which stay unchanged on both sides. */
  readonly leftOutBy: IgnoreRules
  /** Compares contents (default: by size and MD5). */
  readonly compare?: typeof compareChecksums
  /** Whether to replace shortcuts with their targets, if a local entry has their name. */
  readonly follows: boolean
  /** Whether to trash entries in target folders of shortcuts too, which may belong to others. */
  readonly mirrorsLinked?: boolean
}

/** The plan of a push, piece by piece; the last piece has the entries to trash. */
export async function* planPushTree(
  top: SubfolderPair,
  options: PushTreeOptions,
): AsyncGenerator<PushPiece> {
  const {client, signal, leftOutBy, follows, rules, compare = compareChecksums} = options
  const reads = gatherCalls(client)
  const trash: PushStep[] = []
  const remote = top.remote && (await followed(top.remote, top.local))
  let endings = await endingsFor(remote ?? {})
  const isCopy: PushPlanOptions['isCopy'] = (document, name) =>
    copiesBy(endings, rules)(document, name)
  const walk = walkTrees<PushPlan>(
    {...top, ...(remote && {remote})},
    {
      client,
      signal,
      async adapt(folder, {names, local}) {
        const whole = await followed(folder, local)
        endings = await endingsFor(whole, endings)
        return withoutExcluded(whole, leftOutBy, names)
      },
      plan: pair => planPush(pair, {...options, isCopy}),
    },
  )
  for await (const plans of walk) yield await pieceOf(plans)
  if (trash.length === 0) return
  const leftOut = {folders: 0, files: 0}
  yield {steps: trash, folders: new Map(), seen: new Set(), twins: [], leftOut}

  /** A function of its own, so that a waiting generator does not hold the previous plans in memory. */
  async function pieceOf(plans: readonly PushPlan[]): Promise<PushPiece> {
    const folders = new Map<string, string>()
    const seen = new Set<string>()
    const leftOut = {folders: 0, files: 0}
    for (const {pair, steps} of plans) {
      const {path, local, remote, names, isLinked} = pair
      if (remote) folders.set(path, remote.id)
      for (const {id} of remote?.entries ?? []) seen.add(id)
      leftOut.folders += local?.leftOut?.folders ?? 0
      leftOut.files += local?.leftOut?.files ?? 0
      for (const step of steps) {
        const isKept = isLinked && !options.mirrorsLinked
        if (step.action === 'trash' && !isKept) trash.push(...(await trashOf(step, names, options)))
      }
    }
    const open = plans.flatMap(({steps}) => steps.filter(({action}) => action !== 'trash'))
    const steps = await settlePush(await compare(open, signal), options)
    const twins = plans.flatMap(plan => (plan.twins.length > 0 ? resolveTwins(plan, steps) : []))
    return {steps, folders, seen, twins, leftOut}
  }

  async function followed(folder: RemoteFolder, local?: LocalFolder): Promise<RemoteFolder> {
    const {entries} = folder
    if (!follows || !entries || !local) return folder
    const names = new Set(local.entries.map(({name}) => titleKey(name)))
    const isWanted = (shortcut: RemoteOther) =>
      [shortcut.title, plainName(shortcut, rules)].some(name => names.has(titleKey(name)))
    return {...folder, entries: await followEntries(reads, entries, {isWanted})}
  }
}

/** The plan for replacing one remote file's content (see `planContent`). */
export async function* planPushContent(
  local: LocalFile,
  remote: RemoteFile,
  folder: RemoteFolder | undefined,
  options: Pick<PushTreeOptions, 'signal' | 'ifExists'>,
): AsyncGenerator<PushPiece> {
  const step = planContent(local, remote, folder)
  yield {
    steps: await settlePush(await compareChecksums([step], options.signal), options),
    folders: new Map(folder && [['', folder.id]]),
    seen: new Set([remote.id]),
    twins: [],
    leftOut: {folders: 0, files: 0},
  }
}

/** The steps that trash an entry, except its excluded parts. */
async function trashOf(
  {path, entry}: Extract<PushStep, {readonly action: 'trash'}>,
  names: readonly string[],
  {client, signal, leftOutBy}: PushTreeOptions,
): Promise<PushStep[]> {
  const trash = (one: typeof entry, at: string) =>
    removableParts(one, at).map((going): PushStep => ({action: 'trash', ...going}))
  if (entry.kind !== 'folder' || !leftOutBy.isAny()) return trash(entry, path)
  const wanted = (titles: readonly string[]) =>
    shouldList(leftOutBy, [entry.title, ...titles], names)
  const {driveId} = entry
  const whole = await listFolder(client, entry, {
    signal,
    wanted,
    ...(driveId !== undefined && {driveId}),
  })
  return trash(await withoutExcluded(whole, leftOutBy, namesBelow(names, entry.title)), path)
}
