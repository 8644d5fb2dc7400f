import {realpath} from 'node:fs/promises'
import {hostname} from 'node:os'
import {relative} from 'node:path'
import {setFlagsFromString} from 'node:v8'
import type {Context} from '#lib/cli/context/context.js'
import {treeStateFile} from '#lib/cli/input/names/id-sharing.js'
import {chooseAt, withExitCodes} from '#lib/cli/input/names/resolver.js'
import {concurrencyOf, limitedTransfer} from '#lib/cli/input/shared-flags.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {CommandError, exitWith, UsageError} from '#lib/cli/terminal/errors.js'
import {exitCodes} from '#lib/cli/terminal/exit-codes.js'
import {createProgress} from '#lib/cli/terminal/progress.js'
import {SUMMARY_COLUMNS} from '#lib/cli/terminal/units.js'
import type {StartListening} from '#lib/cli/verbs/follow/follow.js'
import {createRowStream, type RowStream} from '#lib/cli/verbs/follow/row-stream.js'
import type {PullSources} from '#lib/cli/verbs/trees/pull-pieces.js'
import {resolveLocal} from '#lib/cli/verbs/trees/pull-target.js'
import {
  applyPage,
  notRememberedError,
  openSources,
  type RecalledTree,
  recallTree,
  rememberedTree,
} from '#lib/cli/verbs/trees/remembered.js'
import {wantedBy} from '#lib/cli/verbs/trees/rules.js'
import type {TreeFlags} from '#lib/cli/verbs/trees/tree-run.js'
import type {Listener} from '#lib/follow/listen.js'
import {isSignInFailure, outageOf} from '#lib/follow/poll.js'
import {createWake} from '#lib/follow/wake.js'
import {printable} from '#lib/platform/sanitize.js'
import {trimMemory} from '#lib/platform/trim-memory.js'
import {makeFolder} from '#lib/platform/write-file.js'
import {isCaseSensitive} from '#lib/transfer/local/names.js'
import {remoteSources} from '#lib/transfer/remote/sources.js'
import {changeParameters} from '#lib/transfer/sync/apply-changes.js'
import {createKeptFiles} from '#lib/transfer/sync/kept-files.js'
import {listTree} from '#lib/transfer/sync/list-tree.js'
import {hasNews, type RememberedTree} from '#lib/transfer/sync/remembered-tree.js'
import {abortOnStop, folderIdentity, rootGone} from './follow-machine.js'
import {type FollowRounds, pullRound} from './pull-round.js'
import {outageText, pollTree, type PullState, waitForChanges} from './pull-waiter.js'
import {renewableClient} from './renewable-client.js'
import {roundContext} from './round-context.js'
import {type Follower, followerOf, roundProcesses, rowsThrough} from './round-process.js'

/** Number of waits after a round in which memory is released: some code counts as recently used in the first ones. */
const TRIMS = 8

/** Milliseconds between attempts to list everything again. */
const OUTAGE = 10_000

/** Downloads a folder, and then each remote change, until the command is interrupted: `drv pull --follow`. */
export async function followPull(
  context: Context,
  printer: Printer,
  sources: PullSources,
  flags: TreeFlags,
  startListening?: StartListening,
): Promise<void> {
  checkFlags(context, flags)
  const follower = followerOf(context)
  const stop = abortOnStop(context, follower)
  const {signal} = stop
  // By default, V8 lets garbage grow to several times the memory in use before collecting it.
  setFlagsFromString('--heap-growing-percent=20')
  const processes = follower ? undefined : await roundProcesses(context, signal)
  const rows = follower ? rowsThrough(follower) : createRowStream(printer, SUMMARY_COLUMNS)
  try {
    if (processes) await waitForChanges(context, processes, {rows, signal, startListening})
    else {
      const state = (await follower?.state()) as PullState | undefined
      const following = {...sources, flags, signal, rows, follower, state}
      await followRemotely(context, printer, {...following, ...(!follower && {startListening})})
    }
  } catch (error) {
    const name = stop.name()
    if (printer.isStructured) await rows.end()
    if (name === undefined) throw error
    exitWith(name === 'SIGINT' ? exitCodes.interrupted : exitCodes.done)
  }
}

interface FollowedPull extends PullSources {
  readonly flags: TreeFlags
  readonly signal: AbortSignal
  readonly rows: RowStream
  readonly startListening?: StartListening
  /** The follower, if this is a process of its rounds, and where the last one ended. */
  readonly follower: Follower | undefined
  readonly state: PullState | undefined
}

/** Downloads the folder, and carries out changes, until the signal aborts. */
async function followRemotely(
  context: Context,
  printer: Printer,
  {places, to, formats, flags, signal, rows, startListening, follower, state}: FollowedPull,
): Promise<void> {
  const {note} = context
  const wake = createWake()
  signal.addEventListener('abort', () => wake.wake(), {once: true})
  const [place] = places
  const {path, is} = await resolveLocal(to)
  if (!place || places.length > 1)
    throw new UsageError('--follow requires a single folder as REMOTE.')
  if (is === 'file')
    throw new UsageError(`--follow requires a folder as LOCAL, but ${to} is a file.`)
  const transfer = await limitedTransfer(context, flags['limit-rate'])
  const {client, renew} = renewableClient({...context, sleep}, transfer.client)
  const world = {...transfer, client, signal, isDurable: true}
  if (!state) await makeFolder(path)
  const root = state?.root ?? (await realpath(path))
  const identity = state ? state.identity : folderIdentity(root)
  let trims = 0
  let listener: Listener | undefined
  const round = roundContext({...context, signal, client: async () => client})
  const rounds: FollowRounds = {
    ...{context: round.context, printer, world, root, formats},
    flags,
    rows,
    rules: {
      isWindows: process.platform === 'win32',
      isCaseSensitive: await isCaseSensitive(root, process.platform),
    },
    isWanted: await wantedBy(flags.type),
    nameFile: await treeStateFile(context, 'names'),
    concurrency: concurrencyOf(flags.concurrency),
    progress: await createProgress(context, flags.progress),
    told: new Set(state?.told),
    kept: createKeptFiles({root, now: context.now, host: hostname()}),
  }
  context.onEnd(() => releaseKept(true))
  for (let isLater = state !== undefined; ; isLater = true) {
    const opened = await openPatiently(isLater)
    const isComplete = await tryRound(opened, isLater)
    if (!isLater) note(`Following ${place.text}. Press Ctrl-C to stop.`)
    await follow(opened, isComplete).finally(opened.tree.unload)
  }

  /** The tree with all remote changes so far. */
  async function open(): Promise<RecalledTree> {
    const recalled = await recallTree(context, client, place!, root)
    if (recalled) return recalled
    const resolve = () =>
      withExitCodes(() => remoteSources(client, places, {signal, choose: chooseAt(context)}))
    const {tree: found, sources} = await openSources(context, client, places, root, resolve)
    if (!found) throw await notFollowed(place!.text, sources.root !== undefined)
    await listTree(client, found.tree, found.listing.head, signal)
    return found
  }

  /** The error for a remote path whose changes cannot be remembered. */
  async function notFollowed(text: string, isFolder: boolean): Promise<CommandError> {
    const failed = `Cannot follow ${text}`
    if (!isFolder)
      return new CommandError('failed', `${failed}: it is not a folder.`, 'Pass a folder.')
    if (!(await rememberedTree(context, root))) return notRememberedError(context, failed)
    return new CommandError(
      'failed',
      `${failed}: the service does not report all changes that concern this path.`,
      'Pass the ID of the folder instead.',
    )
  }

  /** The same; waits for the end of an outage. */
  async function openPatiently(isPatient: boolean): Promise<RecalledTree> {
    for (;;) {
      try {
        return await open()
      } catch (error) {
        if (!isPatient || !(await mayContinue(error))) throw error
        await sleep(OUTAGE)
      }
    }
  }

  /** Whether the cause of an error is over, or will be; waits for a new sign-in. */
  async function mayContinue(error: unknown): Promise<boolean> {
    if (signal.aborted) return false
    if (isSignInFailure(error)) return renew()
    if (!outageOf(error, true)) return false
    note(outageText(error))
    return true
  }

  function releaseKept(isLast = false): void {
    for (const {path, to} of rounds.kept.check(isLast)) {
      note(
        `Conflict: another program changed ${printable(relative(root, path))} while drv was replacing it. The other program's version of the file was saved as ${printable(relative(root, to))}.`,
      )
    }
  }

  /** Waits; rejects with the first signal. */
  async function sleep(milliseconds: number): Promise<void> {
    if (trims < TRIMS) trimMemory()
    trims += 1
    await wake.wait(milliseconds, context.sleep)
    releaseKept()
    signal.throwIfAborted()
  }

  /** Carries out what is left to do; false if something failed that may succeed later. */
  async function tryRound({tree, prefix}: RecalledTree, isLater: boolean): Promise<boolean> {
    if (folderIdentity(root) !== identity) throw rootGone(root)
    try {
      return await pullRound(rounds, {tree, prefix, isLater})
    } catch (error) {
      if (!(await mayContinue(error))) throw error
      return false
    } finally {
      tree.unload()
      round.endRound()
      trims = 0
    }
  }

  /** Waits for changes and carries them out. Ends if everything has to be listed again. */
  async function follow(opened: RecalledTree, isComplete: boolean): Promise<void> {
    const {tree} = opened
    const {head} = tree
    if (!head?.token) return
    if (startListening && !listener) {
      const listeners = await startListening([{list: head.driveId, wake}])
      listener = listeners.get(head.driveId)
    }
    const from = {pageToken: head.token, params: changeParameters(head)}
    const pages = pollTree(context, {client, renew, sleep, listener, ...from})
    tree.unload()
    let isDone = isComplete
    for await (const page of pages) {
      if ('expired' in page) {
        note('The page token has expired. Listing the folder again.')
        return withoutToken(tree)
      }
      listener?.polled(page.changes.length > 0)
      // A push of the same folder may have found something that has to be downloaded.
      const isIdle = page.changes.length === 0 && isDone && !hasNews(tree.mark())
      if (isIdle && page.isCurrent && rounds.kept.isEmpty) {
        const list = {driveId: head.driveId, token: page.nextToken}
        const state: PullState = {root, identity, told: rounds.told, tree: tree.mark(), ...list}
        await follower?.end(state)
      }
      if (isIdle) continue
      if (!(await applyPage(tree, page))) return
      isDone &&= page.isCurrent && page.changes.length === 0
      if (page.isCurrent) isDone = await tryRound(opened, true)
    }
  }
}

function withoutToken(tree: RememberedTree): Promise<void> {
  return tree.update(draft => {
    const {token: _, ...head} = draft.head!
    draft.setHead(head)
  })
}

/** Throws `UsageError` for flags that have no meaning for a command without an end. */
function checkFlags({options}: Context, flags: TreeFlags): void {
  const others = [
    options.dryRun && '--dry-run',
    options.plan !== undefined && '--plan',
    flags['if-exists'] !== undefined && '--if-exists',
    flags['no-follow'] === true && '--no-follow',
  ]
  const other = others.find(one => typeof one === 'string')
  if (other) throw new UsageError(`--follow and ${other} cannot be combined.`)
  if (flags.delete && !flags.yes) {
    throw new UsageError(
      '--follow with --delete requires --yes, because it runs unattended.',
      'With --follow, --delete moves local files to LOCAL/.drv-trash when they are removed remotely.',
    )
  }
}
