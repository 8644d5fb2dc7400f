import {DEPTH_LIMIT} from '#lib/api/wire.js'
import type {Client} from '#lib/client/client.js'
import {localName} from '#lib/transfer/local/names.js'
import {readFolder} from '#lib/transfer/local/scan.js'
import {listEach, tooDeep} from '#lib/transfer/remote/listing.js'
import type {LocalFolder, RemoteFolder} from './entries.js'

/**
 * Two trees are read folder by folder, so that what is held at a time does not grow with them: level by
 * level, and of a level as many folders as have some thousands of entries.
 */

/** Two folders that are to become alike; one of them may not be there. */
export interface Pair {
  /** Below the place that the person named, with `/`; '' for that place. */
  readonly path: string
  readonly local?: LocalFolder
  readonly remote?: RemoteFolder
  /** The local names on the way to it, as rules count them. */
  readonly names: readonly string[]
  /** Why the folder of this machine cannot be read. */
  readonly fault?: string
  /** The folder of the service that it is in. */
  readonly above?: Above
  /** A shortcut led to it, or to a folder that it is in. */
  readonly isLinked?: boolean
}

/** A folder of the service, and the one that it was reached in. */
export interface Above {
  readonly id: string
  readonly above?: Above
}

/** A pair that a plan came upon. */
export type Below = Pick<Pair, 'path' | 'local' | 'remote'>

/** The folders of one list, and the most that are read together: many lists are asked for at once. */
const FOLDERS = {first: 50, most: 400}
/** Entries of either side that are held at a time, as far as folders are alike. */
const ENTRIES = 20_000

interface Walk<P> {
  readonly client: Client
  readonly signal: AbortSignal
  /** What of a folder of the service counts; `pair` is what it was reached as. */
  readonly adapt: (folder: RemoteFolder, pair: Pair) => Promise<RemoteFolder>
  readonly plan: (pair: Pair) => P
}

/**
 * Plans for each pair of folders, an outer one before those in it; the first pair has been read. Fails as
 * a whole when a folder of the service cannot be listed: half a tree would lead to wrong conclusions.
 */
export async function* walkTrees<P extends {readonly below: readonly Below[]}>(
  top: Below,
  {client, signal, adapt, plan}: Walk<P>,
): AsyncGenerator<P[]> {
  let level: readonly Pair[] = [{...top, names: []}]
  let size = FOLDERS.first
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEPTH_LIMIT && level.some(({remote}) => remote)) throw tooDeep()
    const next: Pair[] = []
    for (let at = 0; at < level.length;) {
      signal.throwIfAborted()
      const some = level.slice(at, at + size)
      at += some.length
      const pairs = depth === 0 ? some : await readPairs(some)
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

  async function readPairs(pairs: readonly Pair[]): Promise<Pair[]> {
    const open = pairs.flatMap(({remote, above}) =>
      remote && !isBelow(remote.id, above) ? [remote] : [],
    )
    const found = await listEach(client, open, signal)
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

function pairBelow({names, remote: outer, above, isLinked}: Pair, below: Below): Pair {
  const title = below.remote && localName(below.remote.title, {isWindows: IS_WINDOWS})
  return {
    ...below,
    names: title === undefined ? [] : [...names, title],
    ...(outer && {above: {id: outer.id, above}}),
    ...((isLinked || below.remote?.shortcut) && {isLinked: true}),
  }
}

const IS_WINDOWS = process.platform === 'win32'

async function readLocal({local}: Pair): Promise<Pick<Pair, 'local' | 'fault'>> {
  if (!local?.unread) return {local}
  const read = await readFolder({...local, unread: local.unread}, true)
  if (read.kind === 'folder') return {local: read}
  return {local: {...local, isPartial: true}, fault: `it is ${read.what}`}
}

/** A folder of the service may be below itself. */
export function isBelow(id: string, above: Above | undefined): boolean {
  for (let at = above; at; at = at.above) if (at.id === id) return true
  return false
}

function countOf({local, remote}: Pair): number {
  return (local?.entries.length ?? 0) + (remote?.entries?.length ?? 0)
}
