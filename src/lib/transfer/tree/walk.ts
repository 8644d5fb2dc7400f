import {DEPTH_LIMIT} from '#lib/api/wire.js'
import type {Client} from '#lib/client/client.js'
import {localName} from '#lib/transfer/local/names.js'
import {readFolder} from '#lib/transfer/local/scan.js'
import {listEach, tooDeep} from '#lib/transfer/remote/listing.js'
import type {LocalFolder, RemoteEntry, RemoteFolder} from './entries.js'

/**
 * Reads two trees folder by folder, level by level, in groups of some thousands of entries, so that
 * memory use does not grow with the trees.
 */

/** Two folders to make equal; one of them may be missing. */
export interface FolderPair {
  /** Path relative to the target, with `/`; '' for the target itself. */
  readonly path: string
  readonly local?: LocalFolder
  readonly remote?: RemoteFolder
  /** The local names that lead to it, for rules. */
  readonly names: readonly string[]
  /** Why the local folder cannot be read. */
  readonly fault?: string
  /** The chain of remote parents. */
  readonly above?: RemoteAncestor
  /** Whether a shortcut led to it or to one of its parents. */
  readonly isLinked?: boolean
}

/** A remote folder, and the folder through which it was reached. */
export interface RemoteAncestor {
  readonly id: string
  readonly above?: RemoteAncestor
}

/** A pair of subfolders that a plan found. */
export type SubfolderPair = Pick<FolderPair, 'path' | 'local' | 'remote'>

/** Number of folders read together: at first, and at most. */
const FOLDERS = {first: 50, most: 400}
/** Approximate number of entries of either side held at a time. */
const ENTRIES = 20_000

interface Walk<P> {
  readonly client: Client
  /** The entries of remote folders (default: as the service lists them). */
  readonly list?: (folders: readonly RemoteFolder[]) => Promise<Map<string, readonly RemoteEntry[]>>
  readonly signal: AbortSignal
  /** Filters a remote folder; `pair` is the pair it belongs to. */
  readonly adapt: (folder: RemoteFolder, pair: FolderPair) => Promise<RemoteFolder>
  readonly plan: (pair: FolderPair) => P
}

/**
 * Plans each pair of folders, outer ones first; the first pair is already read. Fails if a remote folder
 * cannot be listed, because an incomplete tree would lead to wrong conclusions.
 */
export function walkTrees<P extends {readonly below: readonly SubfolderPair[]}>(
  top: SubfolderPair,
  walk: Walk<P>,
): AsyncGenerator<P[]> {
  return walkPairs([{...top, names: []}], walk, true)
}

/** The same from several pairs of folders on, which are read first unless `areRead`. */
export async function* walkPairs<P extends {readonly below: readonly SubfolderPair[]}>(
  tops: readonly FolderPair[],
  {client, signal, adapt, plan, list = some => listEach(client, some, signal)}: Walk<P>,
  areRead = false,
): AsyncGenerator<P[]> {
  let level = tops
  let size = FOLDERS.first
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEPTH_LIMIT && level.some(({remote}) => remote)) throw tooDeep()
    const next: FolderPair[] = []
    for (let at = 0; at < level.length;) {
      signal.throwIfAborted()
      const some = level.slice(at, at + size)
      at += some.length
      const pairs = depth === 0 && areRead ? some : await readPairs(some)
      const entries = pairs.reduce((sum, pair) => sum + countOf(pair), 0)
      const fitting = Math.floor((ENTRIES * pairs.length) / Math.max(1, entries))
      size = Math.max(1, Math.min(FOLDERS.most, fitting))
      yield pairs.map(pair => {
        const planned = plan(pair)
        for (const below of planned.below) next.push(pairBelow(pair, below))
        return planned
      })
    }
    level = next
  }

  async function readPairs(pairs: readonly FolderPair[]): Promise<FolderPair[]> {
    const open = pairs.flatMap(({remote, above}) =>
      remote && !isBelowFolder(remote.id, above) ? [remote] : [],
    )
    const found = await list(open)
    return Promise.all(
      pairs.map(async pair => {
        const {remote} = pair
        const entries = remote && found.get(remote.id)
        const read = {...pair, ...(await readLocal(pair))}
        if (!entries) return read
        return {...read, remote: await adapt({...remote, entries}, read)}
      }),
    )
  }
}

function pairBelow(
  {names, remote: outer, above, isLinked}: FolderPair,
  below: SubfolderPair,
): FolderPair {
  const title = below.remote && localName(below.remote.title, {isWindows: IS_WINDOWS})
  return {
    ...below,
    names: title === undefined ? [] : [...names, title],
    ...(outer && {above: {id: outer.id, above}}),
    ...((isLinked || below.remote?.shortcut) && {isLinked: true}),
  }
}

const IS_WINDOWS = process.platform === 'win32'

async function readLocal({local}: FolderPair): Promise<Pick<FolderPair, 'local' | 'fault'>> {
  if (!local?.unread) return {local}
  const read = await readFolder({...local, unread: local.unread}, true)
  if (read.kind === 'folder') return {local: read}
  return {local: {...local, isPartial: true}, fault: `it is ${read.what}`}
}

/** Whether a remote folder is inside itself. */
export function isBelowFolder(id: string, above: RemoteAncestor | undefined): boolean {
  for (let at = above; at; at = at.above) if (at.id === id) return true
  return false
}

/** The number of entries; a local one counts twice if it is new, because its step takes as much memory as a remote one. */
function countOf({local, remote}: FolderPair): number {
  const ours = local?.entries.length ?? 0
  return ours + Math.max(ours, remote?.entries?.length ?? 0)
}
