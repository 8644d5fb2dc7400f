import {parentIds} from '#lib/api/reached.js'
import {type Client} from '#lib/client/client.js'
import {isNotFound} from '#lib/client/errors.js'
import {groupBy} from '#lib/platform/values.js'
import {titleForName} from '#lib/transfer/local/encode-name.js'
import type {IgnoreRules} from '#lib/transfer/local/rules.js'
import {fitsOneSearch} from '#lib/transfer/remote/find-names.js'
import {gatherCalls} from '#lib/transfer/remote/gather.js'
import {listEach, listFolder} from '#lib/transfer/remote/listing.js'
import {
  ALL_DRIVES,
  entriesInFolders,
  ENTRY_FIELDS,
  entryOf,
  searchParameters,
} from '#lib/transfer/remote/records.js'
import type {TreeReader} from '#lib/transfer/sync/tree-state.js'
import type {
  LocalEntry,
  LocalFolder,
  RemoteEntry,
  RemoteFolder,
} from '#lib/transfer/tree/entries.js'
import {removableParts} from '#lib/transfer/tree/exclusions.js'
import {planPushTree, type PushPiece, type PushTreeOptions} from '#lib/transfer/tree/push-tree.js'
import {joinPath, parentOf, type PushStep} from '#lib/transfer/tree/steps.js'
import {type LocalChanges, outermost} from './compare-local.js'
import {mayBeTrashed, type PushDecisions, type RemoteFacts} from './decide-push.js'
import {type KnownItem, lastName, type LocalItem, shownPath} from './local-item.js'

/** The requests of a round of `push --follow`, as the pieces of a push. */

export interface PieceOptions extends Omit<PushTreeOptions, 'mirror' | 'leftOutBy'> {
  readonly tree: TreeReader
  readonly driveId?: string
  readonly rules: PushTreeOptions['rules']
  readonly excludedBy: IgnoreRules
  /** The title for a version that conflicts with a remote one. */
  readonly conflictTitle: (name: string) => string
  /** Whether to trash items that were removed here. */
  readonly isDeleting: boolean
  /** Called for a known item that is not trashed because it changed remotely. */
  readonly onKept: (known: KnownItem) => void
  /** Called for a known item that is gone on both sides. */
  readonly onGone: (known: KnownItem) => void
}

/** The remote state of some items by ID, without those that are gone or in the trash. */
export async function remoteFacts(
  client: Client,
  ids: readonly string[],
): Promise<Map<string, RemoteFacts>> {
  const reads = gatherCalls(client)
  const found = new Map<string, RemoteFacts>()
  const fields = `${ENTRY_FIELDS},etag,labels/trashed,parents(id)`
  const read = async (fileId: string) => {
    try {
      const record =
        (await reads.call('files.get', {params: {fileId, ...ALL_DRIVES, fields}})) ?? {}
      const {trashed} = (record.labels ?? {}) as {trashed?: unknown}
      if (trashed === true) return
      const {etag} = record
      const parents = parentIds(record).map(String)
      const tag = typeof etag === 'string' ? {etag} : {}
      found.set(fileId, {entry: entryOf(record), parents, ...tag})
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
  await Promise.all([...new Set(ids)].map(read))
  return found
}

/** The IDs of existing remote folders by the paths that their local folders have now. */
export function folderIds(
  {pairs}: Pick<LocalChanges, 'pairs'>,
  tree: TreeReader,
): (path: string) => string | undefined {
  const moved = new Map(
    pairs
      .filter(({item}) => item.kind === 'folder')
      .map(({known, item}) => [item.path, known.id] as const),
  )
  return path => moved.get(path) ?? tree.folderAt(path)
}

/** The IDs of the known items whose places other items take. */
export function displaced(
  {pairs, appeared}: LocalChanges,
  folderId: (path: string) => string | undefined,
  tree: TreeReader,
): string[] {
  const items = [
    ...appeared.map(({path}) => ({path, id: undefined})),
    ...pairs.map(({known, item}) => ({path: item.path, id: known.id})),
  ]
  return items.flatMap(({path, id}) => {
    const parent = folderId(parentOf(path))
    const owner = parent === undefined ? undefined : tree.at(parent, lastName(path))?.remote.id
    return owner === undefined || owner === id ? [] : [owner]
  })
}

/** The pieces for some decisions: first new items, then changes of known items, at last removed items. */
export async function* pushPieces(
  changes: LocalChanges,
  decisions: PushDecisions,
  options: PieceOptions,
): AsyncGenerator<PushPiece> {
  const {client, signal, tree, driveId, excludedBy, rules, conflictTitle} = options
  const drive = driveId === undefined ? {} : {driveId}
  const moving = new Set(changes.pairs.map(({known}) => known.id))
  const vanished = new Map(changes.vanished.map(known => [known.id, known]))
  const folderId = folderIds(changes, tree)
  const groups = [...nested(changes.appeared)].flatMap(([path, local]) => {
    const id = folderId(path)
    return id === undefined ? [] : [{path, local, id}]
  })
  const entries = await entriesNamed(groups)
  for (const {path, local, id} of groups) {
    const there = entries.get(id) ?? []
    const free = there.filter(one => !tree.node(one.id)?.local)
    const remote: RemoteFolder = {
      kind: 'folder',
      id,
      title: lastName(path),
      ...drive,
      entries: free,
    }
    const at = path === '' ? [] : path.split('/')
    const leftOutBy: IgnoreRules = {
      isAny: excludedBy.isAny,
      excludes: (names, isFolder) => excludedBy.excludes([...at, ...names], isFolder),
    }
    for await (const piece of planPushTree(
      {path, local, remote},
      {...options, leftOutBy, mirror: false},
    )) {
      // An item that belongs to another local one is never the new item, even if it still has its name.
      yield {...piece, seen: new Set([...piece.seen, ...there.map(one => one.id)])}
    }
  }

  const steps: PushStep[] = []
  const folders = new Map<string, string>()
  const addFolder = (path: string) => {
    const id = folderId(path)
    if (id !== undefined) folders.set(path, id)
  }
  for (const {item, facts} of decisions.replaced) {
    const {entry, etag} = facts
    const match = etag === undefined ? {} : {ifMatch: etag}
    steps.push({action: 'replace', path: item.path, local: item.entry!, remote: entry, ...match})
  }
  for (const {item} of decisions.conflicts) {
    const parent = parentOf(item.path)
    const name = conflictTitle(titleOf(lastName(item.path)))
    addFolder(parent)
    const path = joinPath(parent, name)
    steps.push({action: 'upload', path, name, parent, local: item.entry!})
  }
  for (const {item, facts, isRenamed, isMoved} of decisions.moves) {
    const parent = parentOf(item.path)
    if (isMoved) addFolder(parent)
    const title = titleOf(lastName(item.path))
    steps.push({
      ...{action: 'move', path: item.path, entry: facts.entry},
      ...(isRenamed && title !== facts.entry.title && {title}),
      ...(isMoved && {to: {parent, from: placesIn(tree, facts.parents)}}),
    })
  }
  if (options.isDeleting) steps.push(...(await trashSteps()))
  if (steps.length > 0) {
    yield {steps, folders, seen: new Set(), twins: [], leftOut: {folders: 0, files: 0}}
  }

  function titleOf(name: string): string {
    return titleForName(name, rules.isWindows)
  }

  /** The remote entries with the names of new items, by the ID of their folder: all of it, if there are many. */
  async function entriesNamed(
    all: typeof groups,
  ): Promise<ReadonlyMap<string, readonly RemoteEntry[]>> {
    const ids = [...new Set(all.map(({id}) => id))]
    const names = all.flatMap(({local}) => local.entries.map(({name}) => titleOf(name)))
    const titles = new Set(
      names.flatMap(name => [name, name.normalize('NFC'), name.normalize('NFD')]),
    )
    if (ids.length === 0) return new Map()
    if (!fitsOneSearch(titles, ids)) {
      return listEach(
        client,
        ids.map(id => ({kind: 'folder', id, title: '', ...drive})),
        signal,
      )
    }
    const found = new Map(ids.map(id => [id, [] as RemoteEntry[]]))
    const params = searchParameters({folderIds: ids, titles: [...titles], ...drive})
    for await (const page of client.pages('files.list', {params})) {
      for (const {entry, parents} of entriesInFolders(page)) {
        for (const id of ids)
          if (ids.length === 1 || parents.includes(id)) found.get(id)!.push(entry)
      }
    }
    return found
  }

  async function trashSteps(): Promise<PushStep[]> {
    const gone = outermost(changes.vanished)
    const facts = await remoteFacts(
      client,
      gone.map(({id}) => id),
    )
    const some: PushStep[] = []
    for (const known of gone) {
      const entry = facts.get(known.id)?.entry
      const path = shownPath(known.path)
      if (!entry) {
        options.onGone(known)
        continue
      }
      if (known.kind === 'file') {
        if (mayBeTrashed(known, entry)) some.push({action: 'trash', path, entry})
        else options.onKept(known)
      } else if (entry.kind === 'folder') {
        const whole = await listFolder(client, entry, {signal, ...drive})
        const parts = removableParts<RemoteEntry>(await trashable(whole, path), path)
        for (const part of parts) some.push({action: 'trash', ...part})
      }
    }
    return some
  }

  /** A folder that is gone here without what moves elsewhere; what must be kept counts as left out. */
  async function trashable(folder: RemoteFolder, path: string): Promise<RemoteFolder> {
    const entries: RemoteEntry[] = []
    let kept = 0
    for (const entry of folder.entries ?? []) {
      const inner = joinPath(path, entry.title)
      const known = vanished.get(entry.id)
      if (moving.has(entry.id)) continue
      if (known?.kind === 'folder' && entry.kind === 'folder')
        entries.push(await trashable(entry, inner))
      else if (known?.kind === 'file' && mayBeTrashed(known, entry)) entries.push(entry)
      else {
        kept += 1
        if (known) options.onKept(known)
      }
    }
    return {...folder, entries, leftOut: {folders: 0, files: kept}}
  }
}

/** The folders of the tree that contain an item, which may also be in others; these, if none does. */
function placesIn(tree: TreeReader, parents: readonly string[]): readonly string[] {
  const known = parents.filter(id => id === tree.head?.rootId || tree.node(id) !== undefined)
  return known.length > 0 ? known : parents
}

/** New items as folders with only these entries, by the path of the existing folder. */
function nested(items: readonly LocalItem[]): Map<string, LocalFolder> {
  const inside = groupBy(items, ({path}) => parentOf(path))
  const folderOf = (path: string, some: readonly LocalItem[]): LocalFolder => ({
    ...{kind: 'folder', name: lastName(path), path: '', isPartial: true},
    entries: some.map((item): LocalEntry =>
      item.kind === 'folder' ? folderOf(item.path, inside.get(item.path) ?? []) : item.entry!,
    ),
  })
  const tops = groupBy(outermost(items), ({path}) => parentOf(path))
  return new Map([...tops].map(([path, some]) => [path, folderOf(path, some)]))
}
