import {join} from 'node:path'
import type {Context} from '#lib/cli/context/context.js'
import {treeStateFile} from '#lib/cli/input/names/id-sharing.js'
import {chooseAt, withExitCodes} from '#lib/cli/input/names/resolver.js'
import {treeIfExists} from '#lib/cli/input/shared-flags.js'
import {nameFromKey} from '#lib/platform/state-file.js'
import {isCaseSensitive} from '#lib/transfer/local/names.js'
import {createRules, type IgnoreRules} from '#lib/transfer/local/rules.js'
import {scanFolder} from '#lib/transfer/local/scan.js'
import {endingsFor, withExports} from '#lib/transfer/remote/exports.js'
import type {RemotePath} from '#lib/transfer/remote/remote-path.js'
import {remoteSources} from '#lib/transfer/remote/sources.js'
import {checkLocal} from '#lib/transfer/sync/local-check.js'
import {forgetRemovals} from '#lib/transfer/sync/open-removals.js'
import {createPullMemory, type TreeMemory} from '#lib/transfer/sync/pull-memory.js'
import type {RememberedTree} from '#lib/transfer/sync/remembered-tree.js'
import {hasFingerprint} from '#lib/transfer/sync/tree-fingerprint.js'
import {forgetMoves, pairsToPlan} from '#lib/transfer/sync/tree-pairs.js'
import type {TreeDraft} from '#lib/transfer/sync/tree-state.js'
import {readKnownNames} from '#lib/transfer/tree/known-names.js'
import {planPairs, planPullTree, type PullPiece} from '#lib/transfer/tree/pull-tree.js'
import type {World} from '#lib/transfer/types.js'
import {destinationFor, resolveLocal, withLocalName} from './pull-target.js'
import {openSources, type RecalledTree, recallTree} from './remembered.js'
import {wantedBy} from './rules.js'
import type {TreeFlags} from './tree-run.js'

/** The plan of a pull: of everything, or only of the changes since an earlier pull. */

/** What `drv pull` downloads, and where to. */
export interface PullSources {
  readonly places: readonly RemotePath[]
  /** LOCAL, as typed. */
  readonly to: string
  /** Extensions of the formats to export editor documents in. */
  readonly formats: readonly string[]
}

export interface PullPieces {
  /** The folder that all paths are relative to. */
  readonly root: string
  readonly pieces: AsyncIterable<PullPiece>
  readonly leftOutBy: IgnoreRules
  /** The file of known names. */
  readonly nameFile: string | undefined
  /** Where the results are remembered. */
  readonly memory?: TreeMemory
  /** Number of files that are known to be equal, without a step. */
  readonly unchanged: number
  /** Remembers the end of the pull. */
  readonly finish?: () => Promise<void>
}

/** Plans a pull. Throws `CommandError` if a path cannot be resolved. */
export async function planPieces(
  context: Context,
  {client}: World,
  {places, to, formats}: PullSources,
  flags: TreeFlags,
): Promise<PullPieces> {
  const {signal} = context
  const ifExists = treeIfExists(flags)
  const isWanted = await wantedBy(flags.type)
  const target = await resolveLocal(to)
  const follows = !flags['no-follow']
  const rules = {
    isWindows: process.platform === 'win32',
    isCaseSensitive: await isCaseSensitive(target.path, process.platform),
  }
  const nameFile = await treeStateFile(context, 'names')
  const renames = ifExists === 'rename'
  const common = {
    client,
    signal,
    ifExists,
    formats,
    rules,
    follows,
    mirror: flags.delete,
    isWanted,
    renames,
  }
  const {exclude, include, type} = flags
  const digest = nameFromKey(
    JSON.stringify([{exclude, include, type, ifExists, formats, rules, follows}, flags.delete]),
    16,
  )
  const of = {client, signal, digest}
  // Whether --include has an effect is known only after all rules were read.
  const [place] = include || places.length > 1 || target.is !== 'folder' ? [] : places
  const recalled = place && (await recallTree(context, client, place, target.path))
  const changes = recalled && (await planChanges(recalled))
  if (changes) return changes
  const resolve = () =>
    withExitCodes(() => remoteSources(client, places, {signal, choose: chooseAt(context), follows}))
  const {sources, tree} = await openSources(context, client, places, target.path, resolve)
  const {root, isThere, name} = await destinationFor(target, sources)
  const leftOutBy = createRules({path: root, ...flags})
  const remote =
    name === undefined
      ? sources
      : withLocalName(withExports(sources, formats, await endingsFor(sources), rules), name)
  const local = isThere
    ? await scanFolder(root, '', {isShallow: true, rules: leftOutBy})
    : undefined
  const memory = tree && (await createPullMemory({...of, ...tree, root}))
  const known = name === undefined ? {known: readKnownNames(nameFile)} : {}
  const top = {path: '', remote, ...(local && {local})}
  const pieces = planPullTree(top, {...common, leftOutBy, ...known, ...(memory && {memory})})
  const all = {root, pieces, leftOutBy, nameFile, unchanged: 0}
  return memory ? {...all, ...remembering(tree.tree, memory)} : all

  /** Plans the changes since the tree was remembered; `undefined` if the tree cannot be read or written. */
  async function planChanges({
    tree,
    prefix,
    fingerprint,
  }: RecalledTree): Promise<PullPieces | undefined> {
    const root = target.path
    const leftOutBy = createRules({path: root, ...flags})
    if (fingerprint?.digest === digest && hasFingerprint(join(root, prefix), fingerprint)) {
      return {root, pieces: noPieces(), leftOutBy, nameFile, unchanged: fingerprint.files}
    }
    // The fingerprint may belong to a tree that is unreadable now.
    if (!(await withoutMoves(tree)) || !tree.head) return undefined
    const {same, files} = checkLocal(tree, join(root, prefix), digest)
    const pairs = pairsToPlan(tree, id => same.has(id), {root, prefix, rules: leftOutBy})
    const planned = new Set(pairs.map(({remote}) => remote!.id))
    const isSettled = (id: string) => same.has(id) || planned.has(id)
    const memory = await createPullMemory({...of, tree, root, prefix, isSettled})
    const known = readKnownNames(nameFile)
    const pieces = planPairs(pairs, {...common, leftOutBy, known, memory})
    const remembered = remembering(tree, memory)
    return {root, pieces, leftOutBy, nameFile, unchanged: files, ...remembered}
  }

  function remembering(tree: RememberedTree, memory: TreeMemory) {
    const finish = async () => {
      await memory.finish()
      await tree.saveFingerprint(digest)
      tree.unload()
    }
    return {memory, finish}
  }
}

async function* noPieces(): AsyncGenerator<PullPiece> {
  // Nothing is left to transfer.
}

/** Plans moved items and those that were removed here like new ones; false if the tree cannot be written. */
function withoutMoves(tree: RememberedTree): Promise<boolean> {
  const forget = (draft: TreeDraft) => {
    forgetMoves(draft)
    forgetRemovals(draft)
  }
  return tree.update(forget).then(
    () => true,
    () => false,
  )
}
