import {setMaxListeners} from 'node:events'
import {realpath} from 'node:fs/promises'
import type {Context} from '#lib/cli/context/context.js'
import {errorSentence} from '#lib/cli/explain/explain.js'
import {treeStateFile} from '#lib/cli/input/names/id-sharing.js'
import {chooseAt, withExitCodes} from '#lib/cli/input/names/resolver.js'
import {concurrencyOf, limitedTransfer} from '#lib/cli/input/shared-flags.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {createProgress} from '#lib/cli/terminal/progress.js'
import {changesSince, outageOf} from '#lib/follow/poll.js'
import {trimMemory} from '#lib/platform/trim-memory.js'
import {makeFolder} from '#lib/platform/write-file.js'
import {isCaseSensitive} from '#lib/transfer/local/names.js'
import {remoteSources} from '#lib/transfer/remote/sources.js'
import {changeParameters} from '#lib/transfer/sync/apply-changes.js'
import {listTree} from '#lib/transfer/sync/list-tree.js'
import type {RememberedTree} from '#lib/transfer/sync/remembered-tree.js'
import type {PullSources} from './pull-pieces.js'
import {type FollowRounds, pullRound} from './pull-round.js'
import {resolveLocal} from './pull-target.js'
import {applyPage, openSources, type RecalledTree, recallTree} from './remembered.js'
import {wantedBy} from './rules.js'
import type {TreeFlags} from './tree-run.js'

/** Downloads a folder, and then each remote change, until the command is interrupted: `drv pull --follow`. */
export async function followPull(
  context: Context,
  printer: Printer,
  {places, to, formats}: PullSources,
  flags: TreeFlags,
): Promise<void> {
  checkFlags(context, flags)
  const {signal, note} = context
  const [place] = places
  const {path, is} = await resolveLocal(to)
  if (!place || places.length > 1)
    throw new UsageError('--follow requires a single folder as REMOTE.')
  if (is === 'file')
    throw new UsageError(`--follow requires a folder as LOCAL, but ${to} is a file.`)
  setMaxListeners(0, signal)
  const world = await limitedTransfer(context, flags['limit-rate'])
  const {client} = world
  await makeFolder(path)
  const root = await realpath(path)
  context.onInterrupt(() => ({
    words: 'Completed downloads are kept',
    hint: 'To continue, run the same command again.',
  }))
  const rounds: FollowRounds = {
    ...{context, printer, world, root, formats, flags},
    rules: {
      isWindows: process.platform === 'win32',
      isCaseSensitive: await isCaseSensitive(root, process.platform),
    },
    isWanted: await wantedBy(flags.type),
    nameFile: await treeStateFile(context, 'names'),
    concurrency: concurrencyOf(flags.concurrency),
    progress: await createProgress(context, flags.progress),
    told: new Set(),
  }
  for (let isLater = false; ; isLater = true) {
    const opened = await open()
    let isComplete = await tryRound(opened, isLater)
    if (!isLater) note(`Following ${place.text}. Press Ctrl-C to stop.`)
    isComplete = await follow(opened, isComplete)
    if (!isComplete) note('Listing the folder again, because its history is incomplete.')
  }

  /** The tree with all remote changes so far. */
  async function open(): Promise<RecalledTree> {
    const recalled = await recallTree(context, client, place!, root)
    if (recalled) return recalled
    const resolve = () =>
      withExitCodes(() => remoteSources(client, places, {signal, choose: chooseAt(context)}))
    const {tree: found} = await openSources(context, client, places, root, resolve)
    if (!found) throw notFollowed(place!.text)
    await listTree(client, found.tree, found.listing.head, signal)
    return found
  }

  /** Carries out what is left to do; false if something failed that may succeed later. */
  async function tryRound({tree, prefix}: RecalledTree, isLater: boolean): Promise<boolean> {
    try {
      return await pullRound(rounds, {tree, prefix, isLater})
    } catch (error) {
      if (signal.aborted || !outageOf(error, true)) throw error
      note(`The service does not respond: ${errorSentence(error)} Waiting for it to come back.`)
      return false
    } finally {
      tree.unload()
      trimMemory()
    }
  }

  /** Waits for changes and carries them out. Ends if everything has to be listed again. */
  async function follow(opened: RecalledTree, isComplete: boolean): Promise<boolean> {
    const {tree} = opened
    const {head} = tree
    if (!head?.token) return false
    const pages = changesSince({
      client,
      pageToken: head.token,
      params: changeParameters(head),
      sleep: context.sleep,
      onOutage: error =>
        note(`The service does not respond: ${errorSentence(error)} Waiting for it to come back.`),
      onRecovery: () => note('The service responds again.'),
    })
    tree.unload()
    let isDone = isComplete
    for await (const page of pages) {
      if ('expired' in page) {
        await withoutToken(tree)
        return false
      }
      const isIdle = page.changes.length === 0 && isDone
      if (isIdle) continue
      if (!(await applyPage(tree, page))) return true
      isDone &&= page.isCurrent && page.changes.length === 0
      if (page.isCurrent) isDone = await tryRound(opened, true)
    }
    return true
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
    options.format === 'json' && '--json',
  ]
  const other = others.find(one => typeof one === 'string')
  if (other) throw new UsageError(`--follow and ${other} cannot be combined.`)
  if (flags.delete && !flags.yes) {
    throw new UsageError(
      '--follow with --delete requires --yes, because nobody may be there to confirm.',
      'With --follow, --delete moves local files to LOCAL/.drv-trash when they are removed remotely.',
    )
  }
}

function notFollowed(text: string): CommandError {
  return new CommandError(
    'failed',
    `Cannot follow ${text}: it is not a folder, or there is no directory to remember it in.`,
    'Pass a folder, sign in with `drv auth login`, and set HOME or XDG_STATE_HOME.',
  )
}
