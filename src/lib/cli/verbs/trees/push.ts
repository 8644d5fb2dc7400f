import {dirname} from 'node:path'
import type {Context} from '#lib/cli/context/context.js'
import {askBeforeRemoving} from '#lib/cli/guard/confirm-destroying.js'
import {trashedText} from '#lib/cli/guard/impact.js'
import {shareIds, treeStateFile} from '#lib/cli/input/names/id-sharing.js'
import {chooseAt, readRemotePath, withExitCodes} from '#lib/cli/input/names/resolver.js'
import {limitedTransfer, treeIfExists} from '#lib/cli/input/shared-flags.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {problemLine} from '#lib/cli/terminal/units.js'
import type {Client} from '#lib/client/client.js'
import type {Rules} from '#lib/transfer/local/rules.js'
import {inFolders} from '#lib/transfer/local/sources.js'
import {listEach} from '#lib/transfer/remote/listing.js'
import {ALL_DRIVES, parentIds} from '#lib/transfer/remote/records.js'
import type {RemotePath} from '#lib/transfer/remote/remote-path.js'
import {noFolder} from '#lib/transfer/remote/resolve-error.js'
import {type OpenedPath, openRemotePath} from '#lib/transfer/remote/sources.js'
import type {LocalFolder, RemoteFolder} from '#lib/transfer/tree/entries.js'
import {withoutLeftOut} from '#lib/transfer/tree/exclusions.js'
import {readKnownNames} from '#lib/transfer/tree/known-names.js'
import {
  planPushContent,
  planPushTree,
  type PushPiece,
  type PushTreeOptions,
} from '#lib/transfer/tree/push-tree.js'
import {pruneIds} from '#lib/transfer/tree/reserved-ids.js'
import {only} from '#lib/transfer/tree/steps.js'
import {
  convertibleTypes,
  nameRulesOf,
  type PushSources,
  readSources,
  withConversions,
  withName,
} from './push-sources.js'
import {previewPiece, pushSteps} from './push-steps.js'
import {checkIncludes} from './rules.js'
import {runTree, type TreeFlags} from './tree-run.js'

interface PushFlags extends TreeFlags {
  readonly convert: boolean
  readonly 'no-follow'?: boolean
}

/** Uploads files and folders, as `drv push` does. */
export async function pushTree(
  context: Context,
  printer: Printer,
  sources: readonly string[],
  remote: string,
  flags: PushFlags,
): Promise<void> {
  const {signal} = context
  await runTree<PushPiece>(context, printer, flags, 'push', async () => {
    const ifExists = treeIfExists(flags)
    const place = readRemotePath(remote)
    if (place.start.in === 'trash') {
      throw new UsageError(
        'A push puts nothing into the trash.',
        'Name a folder that is not in it.',
      )
    }
    const read = await readSources(context, sources, flags)
    const {rules: leftOutBy} = read
    const world = await limitedTransfer(context, flags['limit-rate'])
    const {client} = world
    const sharing = await shareIds(context)
    const nameFile = await treeStateFile(context, 'names')
    const rules = await nameRulesOf(sources)
    const follows = !flags['no-follow']
    const options = {client, signal, choose: chooseAt(context), follows, wanted: () => false}
    const found = await withExitCodes(() => openRemotePath(client, place, options))
    const {driveId} = found
    const drive = driveId === undefined ? {} : {driveId}
    const types = flags.convert ? await convertibleTypes(world) : undefined
    const plan = {
      ...{client, signal, ifExists, leftOutBy, rules, follows, mirror: flags.delete},
      known: readKnownNames(nameFile),
      renames: ifExists === 'rename',
      converts: flags.convert,
    }
    const pieces = await withExitCodes(() => planned(read, found, place, plan))
    // Whether anything is left out is known only once everything was looked at.
    const isOpen = (flags.include ?? []).length > 0 && !leftOutBy.isAny()
    return {
      pieces: noted(pieces, leftOutBy, types),
      isWhole: isOpen || (flags.delete && !flags.yes),
      preview: previewPiece,
      async ask(all) {
        const trash = all.flatMap(({steps}) => only(steps, 'trash'))
        await askBeforeRemoving(context, {
          isYes: flags.yes,
          count: trash.length,
          text: () =>
            trashedText(
              client,
              trash.map(({entry}) => entry),
            ),
        })
      },
      async begin() {
        if (sharing.file !== undefined) await pruneIds(dirname(sharing.file), context.now())
      },
      stepsOf: (all, run) => pushSteps(all, run, {world, sharing, nameFile, ...drive}),
    }
  })

  /** The same pieces, with what is to be told of each. */
  async function* noted(
    pieces: AsyncIterable<PushPiece>,
    leftOutBy: Rules,
    types: ReadonlySet<unknown> | undefined,
  ): AsyncGenerator<PushPiece> {
    for await (const piece of pieces) {
      for (const twin of piece.twins) if (twin.isGuess) context.note(twinText(twin))
      yield types ? {...piece, steps: await withConversions(piece.steps, types)} : piece
    }
    checkIncludes(flags, leftOutBy)
  }
}

/** Which of several things of a name is updated. */
function twinText({path, count, id}: PushPiece['twins'][number]): string {
  const reason = `${count} items of the service have this name; using the newest or identical one (ID ${id})`
  return `Same name: ${problemLine(path, reason)}`
}

/** The plan for what a path leads to: a folder, the new name of a single file, or a file. */
async function planned(
  read: PushSources,
  found: OpenedPath,
  place: RemotePath,
  plan: PushTreeOptions,
): Promise<AsyncGenerator<PushPiece>> {
  const {client, signal, leftOutBy} = plan
  const {entry, driveId, folder} = found
  const drive = driveId === undefined ? {} : {driveId}
  if (entry.kind !== 'folder') {
    const {single} = read
    if (!single || entry.kind !== 'file' || place.isContents) throw noFolder(entry, place.text)
    const home = plan.renames ? await folderOf(plan, entry.id, driveId) : undefined
    return planPushContent(single, entry, home, plan)
  }
  const {names, local} = namedIn(read, found, place)
  const top = {...entry, ...drive}
  const listed = folder ?? {...top, entries: (await listEach(client, [top], signal)).get(top.id)}
  // What rules say of is below folders that are there.
  const there = found.missing.length > 0 ? listed : await withoutLeftOut(listed, leftOutBy)
  return planPushTree(
    {path: '', local: inFolders(names, local), remote: {...there, ...drive}},
    plan,
  )
}

/** The folders to create, and what goes into the last of them: a single file can get another name. */
function namedIn(
  {local, single}: PushSources,
  {missing}: OpenedPath,
  place: RemotePath,
): {readonly names: readonly string[]; readonly local: LocalFolder} {
  const name = missing.at(-1)
  if (single && name !== undefined && !place.isContents) {
    return {names: missing.slice(0, -1), local: withName(local, single, name)}
  }
  if (!single?.stream) return {names: missing, local}
  const folder = place.text.replace(/\/*$/, '')
  throw new UsageError(
    `Standard input has no name, and ${place.text} names a folder.`,
    `Name the file too: \`drv push - ${folder}/NAME\`.`,
  )
}

/** The folder that a file is in, with what is in it. */
async function folderOf(
  {client, signal}: {readonly client: Client; readonly signal: AbortSignal},
  fileId: string,
  driveId: string | undefined,
): Promise<RemoteFolder> {
  const params = {fileId, ...ALL_DRIVES, fields: 'parents(id)'}
  const [id] = parentIds((await client.call('files.get', {params})) ?? {})
  if (typeof id === 'string') {
    const folder = {kind: 'folder', id, title: '', ...(driveId !== undefined && {driveId})} as const
    return {...folder, entries: (await listEach(client, [folder], signal)).get(id)}
  }
  throw new UsageError(
    '--if-exists rename needs a folder for the new file, and this one is in none that you may see.',
    'Name a folder.',
  )
}
