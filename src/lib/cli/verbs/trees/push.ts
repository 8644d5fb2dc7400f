import {dirname} from 'node:path'
import {parentIds} from '#lib/api/reached.js'
import type {Context} from '#lib/cli/context/context.js'
import {confirmRemoving} from '#lib/cli/guard/confirm-destroying.js'
import {trashedText} from '#lib/cli/guard/impact.js'
import {shareIds, treeStateFile} from '#lib/cli/input/names/id-sharing.js'
import {chooseAt, withExitCodes} from '#lib/cli/input/names/resolver.js'
import {limitedTransfer, treeIfExists} from '#lib/cli/input/shared-flags.js'
import {isOfPlan} from '#lib/cli/plan-file/plan-output.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import type {Client} from '#lib/client/client.js'
import {printable} from '#lib/platform/sanitize.js'
import type {IgnoreRules} from '#lib/transfer/local/rules.js'
import {inFolders} from '#lib/transfer/local/sources.js'
import {listEach} from '#lib/transfer/remote/listing.js'
import {ALL_DRIVES} from '#lib/transfer/remote/records.js'
import type {RemotePath} from '#lib/transfer/remote/remote-path.js'
import {noFolder} from '#lib/transfer/remote/resolve-error.js'
import {type OpenedPath, openRemotePath} from '#lib/transfer/remote/sources.js'
import type {LocalFolder, RemoteFolder} from '#lib/transfer/tree/entries.js'
import {withoutExcluded} from '#lib/transfer/tree/exclusions.js'
import {readKnownNames} from '#lib/transfer/tree/known-names.js'
import {
  planPushContent,
  planPushTree,
  type PushPiece,
  type PushTreeOptions,
} from '#lib/transfer/tree/push-tree.js'
import {pruneIds} from '#lib/transfer/tree/reserved-ids.js'
import {stepsOfAction} from '#lib/transfer/tree/steps.js'
import {createPushPreview} from './push-proposals.js'
import {
  commonFolder,
  convertibleTypes,
  nameRulesOf,
  type PushSources,
  readSources,
  uploadPath,
  withConversions,
  withName,
} from './push-sources.js'
import {pushSteps} from './push-steps.js'
import {checkIncludes, isIncludeIdle} from './rules.js'
import {IDLE_RUN, runTree, type TreeFlags} from './tree-run.js'

export interface PushFlags extends TreeFlags {
  readonly convert: boolean
  readonly 'no-follow'?: boolean
}

/** Uploads files and folders for `drv push`. */
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
    const place = uploadPath(remote)
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
    return {
      pieces: withNotices(pieces, leftOutBy, types),
      // `--include` without `--exclude` is valid only if a .drvignore is found, which needs the whole plan.
      isWhole: isIncludeIdle(flags, leftOutBy) || (flags.delete && !flags.yes),
      to: remote,
      preview: createPushPreview(),
      planned: {
        ...(!read.single?.stream && {root: commonFolder(sources)}),
        steps(all) {
          const others = withoutPlan(all, String(context.options.plan))
          return pushSteps(others, IDLE_RUN, {world, sharing, nameFile: undefined, ...drive})
        },
      },
      async ask(all) {
        const trash = all.flatMap(({steps}) => stepsOfAction(steps, 'trash'))
        await confirmRemoving(context, {
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

  /** The same pieces; prints notices for each, and marks conversions. */
  async function* withNotices(
    pieces: AsyncIterable<PushPiece>,
    leftOutBy: IgnoreRules,
    types: ReadonlySet<unknown> | undefined,
  ): AsyncGenerator<PushPiece> {
    for await (const piece of pieces) {
      for (const twin of piece.twins) if (twin.isGuess) context.note(twinText(twin))
      yield types ? {...piece, steps: await withConversions(piece.steps, types)} : piece
    }
    checkIncludes(flags, leftOutBy)
  }
}

/** The same pieces without the plan file that is being written, if it is in a source folder. */
async function* withoutPlan(
  pieces: AsyncIterable<PushPiece>,
  plan: string,
): AsyncGenerator<PushPiece> {
  for await (const piece of pieces) {
    const steps = piece.steps.filter(
      step => !('local' in step && !step.local.stream && isOfPlan(plan, step.local.path)),
    )
    yield {...piece, steps}
  }
}

/** The notice that names the item to update if several have the same name. */
function twinText({path, count, id}: PushPiece['twins'][number]): string {
  return `${count} remote items named ${printable(path)}: using the identical or newest one (ID ${id})`
}

/** The plan for the resolved REMOTE: a folder, the new name of a single file, or an existing file. */
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
  // Rules apply only to the contents of existing folders.
  const filtered = found.missing.length > 0 ? listed : await withoutExcluded(listed, leftOutBy)
  return planPushTree(
    {path: '', local: inFolders(names, local), remote: {...filtered, ...drive}},
    plan,
  )
}

/** The folders to create for REMOTE, and the content of the last one; the last name may be that of a single file. */
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
    `Cannot upload standard input to the folder ${place.text} without a file name.`,
    `Add a file name: \`drv push - ${folder}/NAME\`.`,
  )
}

/** The parent folder of a file, with its entries. */
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
    'Cannot apply --if-exists rename: the file is not in a folder that you can see.',
    'Use a folder as REMOTE.',
  )
}
