import {realpathSync, statSync} from 'node:fs'
import {basename, resolve} from 'node:path'
import {setFlagsFromString} from 'node:v8'
import type {Context} from '#lib/cli/context/context.js'
import {unreadableFileError} from '#lib/cli/explain/unreadable.js'
import {shareIds, treeStateFile} from '#lib/cli/input/names/id-sharing.js'
import {chooseAt, withExitCodes} from '#lib/cli/input/names/resolver.js'
import {concurrencyOf, limitedTransfer, treeIfExists} from '#lib/cli/input/shared-flags.js'
import {runPlan} from '#lib/cli/run/engine.js'
import {labelOf} from '#lib/cli/run/plan.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {CommandError, exitWith, UsageError} from '#lib/cli/terminal/errors.js'
import {exitCodes} from '#lib/cli/terminal/exit-codes.js'
import {createProgress} from '#lib/cli/terminal/progress.js'
import {SUMMARY_COLUMNS} from '#lib/cli/terminal/units.js'
import {createRowStream, type RowStream} from '#lib/cli/verbs/follow/row-stream.js'
import type {PushFlags} from '#lib/cli/verbs/trees/push.js'
import {nameRulesOf, uploadPath} from '#lib/cli/verbs/trees/push-sources.js'
import {pushSteps} from '#lib/cli/verbs/trees/push-steps.js'
import {notRememberedError, rememberedTree} from '#lib/cli/verbs/trees/remembered.js'
import {IDLE_RUN} from '#lib/cli/verbs/trees/tree-run.js'
import {treeEngine} from '#lib/cli/verbs/trees/tree-steps.js'
import {EDITOR_FILES} from '#lib/follow/local/editor-files.js'
import {remoteFacts} from '#lib/follow/local/push-pieces.js'
import {takeOver} from '#lib/follow/local/take-over.js'
import {watchFolders} from '#lib/follow/local/watch-folders.js'
import {createWake} from '#lib/follow/wake.js'
import {createRules} from '#lib/transfer/local/rules.js'
import {inFolders} from '#lib/transfer/local/sources.js'
import {listEach} from '#lib/transfer/remote/listing.js'
import {noFolder} from '#lib/transfer/remote/resolve-error.js'
import {openRemotePath} from '#lib/transfer/remote/sources.js'
import type {RememberedTree} from '#lib/transfer/sync/remembered-tree.js'
import {readKnownNames} from '#lib/transfer/tree/known-names.js'
import {planPushTree, type PushTreeOptions} from '#lib/transfer/tree/push-tree.js'
import {forgetIds} from '#lib/transfer/tree/reserved-ids.js'
import {followLocally} from './follow-local.js'
import {abortOnStop, folderIdentity, rootGone} from './follow-machine.js'
import type {PushRounds} from './push-round.js'
import {type PushState, waitForReports, watchThrough} from './push-waiter.js'
import {renewableClient} from './renewable-client.js'
import {roundContext} from './round-context.js'
import {type Follower, followerOf, roundProcesses, rowsThrough} from './round-process.js'

/** Uploads a folder, and then each local change, until the command is interrupted: `drv push --follow`. */
export async function followPush(
  context: Context,
  printer: Printer,
  sources: readonly string[],
  remote: string,
  flags: PushFlags,
): Promise<void> {
  checkFlags(context, flags)
  treeIfExists(flags)
  const follower = followerOf(context)
  const stop = abortOnStop(context, follower)
  const {signal} = stop
  const state = (await follower?.state()) as PushState | undefined
  const folder = state ? knownFolder(state) : followedFolder(sources)
  // By default, V8 lets garbage grow to several times the memory in use before collecting it.
  setFlagsFromString('--heap-growing-percent=20')
  const processes = follower ? undefined : await roundProcesses(context, signal)
  const rows = follower ? rowsThrough(follower) : createRowStream(printer, SUMMARY_COLUMNS)
  try {
    if (processes) await waitForReports(context, processes, {rows, signal})
    else
      await followFolder(context, printer, {folder, remote, flags, signal, rows, follower, state})
  } catch (error) {
    const name = stop.name()
    if (printer.isStructured) await rows.end()
    if (name === undefined) throw error
    exitWith(name === 'SIGINT' ? exitCodes.interrupted : exitCodes.done)
  }
}

interface FollowedPush {
  readonly folder: ReturnType<typeof followedFolder>
  readonly remote: string
  readonly flags: PushFlags
  readonly signal: AbortSignal
  readonly rows: RowStream
  /** The follower, if this is a process of its rounds, and where the last one ended. */
  readonly follower: Follower | undefined
  readonly state: PushState | undefined
}

/** Compares the folder and carries out changes, until the signal aborts. */
async function followFolder(
  context: Context,
  printer: Printer,
  {folder, remote, flags, signal, rows, follower, state}: FollowedPush,
): Promise<void> {
  const {source, root, isContents} = folder
  const ifExists = treeIfExists(flags)
  const transfer = await limitedTransfer(context, flags['limit-rate'])
  const wake = createWake()
  signal.addEventListener('abort', () => wake.wake(), {once: true})
  const {client, renew} = renewableClient({...context, sleep}, transfer.client)
  const world = {...transfer, client, signal}
  const exclude = [...EDITOR_FILES, ...(flags.exclude ?? [])]
  const rulesNow = () => createRules({path: root, exclude, include: flags.include})
  const sharing = await shareIds(context)
  const nameFile = await treeStateFile(context, 'names')
  const tree = await rememberedTree(context, root)
  if (!tree) throw notRememberedError(context, '--follow cannot record its uploads')
  const rules = await nameRulesOf([source])
  const follows = !flags['no-follow']
  const plan = {
    ...{client: world.client, signal, ifExists, rules, follows, leftOutBy: rulesNow()},
    known: readKnownNames(nameFile),
  }
  const progress = await createProgress(context, flags.progress)
  const names = isContents ? [] : [basename(root)]
  const to = {remote, names, plan, rounds: {world, sharing, nameFile}}
  const place = state?.place ?? (await withExitCodes(() => remoteFolder(context, printer, to)))
  const drive = place.driveId === undefined ? {} : {driveId: place.driveId}
  const isFirst = await startTree(tree, {rootId: place.id, ...drive})
  if (!state) await takeOverCreated()
  const round = roundContext({...context, signal, client: async () => client})
  const rounds: PushRounds = {
    ...{context: round.context, endRound: round.endRound, printer, rows, renew, world},
    ...{sharing, nameFile, tree, progress},
    concurrency: concurrencyOf(flags.concurrency),
    options: {rules, follows, ...drive, isDeleting: flags.delete, known: plan.known},
  }
  await followLocally(rounds, {
    ...{root, rulesNow, watch: watchFolders, ...(isFirst && {ifExists})},
    ...(follower && {
      watch: watchThrough(follower, state !== undefined),
      onIdle: compared => follower.end({root, place, compared} satisfies PushState),
    }),
    state: state?.compared,
  })

  /** Remembers what an interrupted command has created, before anything is compared. */
  async function takeOverCreated(): Promise<void> {
    const known = await takeOver(tree!, ids => remoteFacts(client, ids))
    if (sharing.file !== undefined) await forgetIds(sharing.file, known, sharing.now)
  }

  /** Waits; rejects with the first signal. */
  async function sleep(milliseconds: number): Promise<void> {
    await wake.wait(milliseconds, context.sleep)
    signal.throwIfAborted()
  }
}

/** The folder that earlier rounds followed. Throws `CommandError` if it is not the same any more. */
function knownFolder({root, compared}: PushState): ReturnType<typeof followedFolder> {
  if (folderIdentity(root) !== compared.identity) throw rootGone(root)
  return {source: root, root, isContents: true}
}

/** Throws `UsageError` for flags that have no meaning for a command without an end. */
function checkFlags({options}: Context, flags: PushFlags): void {
  const others = [
    options.dryRun && '--dry-run',
    options.plan !== undefined && '--plan',
    flags.convert && '--convert',
  ]
  const other = others.find(one => typeof one === 'string')
  if (other) throw new UsageError(`--follow and ${other} cannot be combined.`)
  if (flags.delete && !flags.yes) {
    throw new UsageError(
      '--follow with --delete requires --yes, because it runs unattended.',
      'With --follow, --delete moves remote files to the trash when they are removed locally.',
    )
  }
}

/** The folder to follow. Throws `UsageError` for anything but one folder. */
function followedFolder(sources: readonly string[]) {
  const [source, second] = sources
  if (source === undefined || source === '-' || second !== undefined) {
    throw new UsageError('--follow requires a single folder as LOCAL.')
  }
  try {
    if (!statSync(source).isDirectory()) {
      throw new UsageError(`--follow requires a folder as LOCAL, but ${source} is a file.`)
    }
    const isContents = /[/\\]$|(^|[/\\])\.{1,2}$/.test(source)
    return {source, root: realpathSync(resolve(source)), isContents}
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
    throw unreadableFileError(source, error)
  }
}

/** Resets a tree that belongs to another remote folder; returns whether nothing is known yet. */
async function startTree(
  tree: RememberedTree,
  place: {readonly rootId: string; readonly driveId?: string},
): Promise<boolean> {
  return tree.update(draft => {
    if (draft.head?.rootId === place.rootId) return draft.size === 0
    draft.clear()
    draft.setHead({...place, above: [], names: []})
    return true
  })
}

/** The ID of the remote folder that corresponds to the local one, created if it does not exist. */
async function remoteFolder(
  context: Context,
  printer: Printer,
  {
    remote,
    names,
    plan,
    rounds,
  }: {
    readonly remote: string
    readonly names: readonly string[]
    readonly plan: Omit<PushTreeOptions, 'mirror'>
    readonly rounds: Pick<PushRounds, 'world' | 'sharing' | 'nameFile'>
  },
): Promise<{readonly id: string; readonly driveId?: string}> {
  const {client, signal, follows} = plan
  const place = uploadPath(remote)
  const options = {choose: chooseAt(context), follows, wanted: () => false, signal}
  const {entry, missing, driveId} = await openRemotePath(client, place, options)
  if (entry.kind !== 'folder') throw noFolder(entry, place.text)
  const drive = driveId === undefined ? {} : {driveId}
  const all = [...missing, ...names]
  if (all.length === 0) return {id: entry.id, ...drive}
  const top = {...entry, ...drive}
  const listed = {...top, entries: (await listEach(client, [top], signal)).get(top.id)}
  const empty = {kind: 'folder', name: '', path: '', entries: [], isPartial: true} as const
  const ids = new Map<string, string>()
  const pieces = planPushTree(
    {path: '', local: inFolders(all, empty), remote: listed},
    {...plan, mirror: false},
  )
  async function* noted() {
    for await (const piece of pieces) {
      for (const [path, id] of piece.folders) ids.set(path, id)
      yield piece
    }
  }
  const failures: string[] = []
  await runPlan(
    treeEngine(context, printer, 'push'),
    pushSteps(noted(), IDLE_RUN, {...rounds, ...drive}),
    {
      account: {
        done(step, record) {
          if (typeof record?.id === 'string') ids.set(labelOf(step), record.id)
        },
        failed: (_, message) => void failures.push(message),
        skipped: (_, reason) => void failures.push(reason),
        conclude: async () => undefined,
      },
    },
  )
  const id = ids.get(all.join('/'))
  if (id !== undefined) return {id, ...drive}
  throw new CommandError('failed', `Cannot create the folder ${place.text}: ${failures[0] ?? ''}.`)
}
