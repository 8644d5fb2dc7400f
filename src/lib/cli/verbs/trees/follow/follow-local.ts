import {problemLine} from '#lib/cli/terminal/units.js'
import {
  compareLocal,
  type LocalChanges,
  mayBeMoved,
  mayDiffer,
  pairByContent,
  unreadFolders,
  withoutCopies,
} from '#lib/follow/local/compare-local.js'
import {dueChanges, foldersOf, marksOf} from '#lib/follow/local/due-changes.js'
import {knownItems} from '#lib/follow/local/known-tree.js'
import {markOf} from '#lib/follow/local/local-item.js'
import {readView} from '#lib/follow/local/read-view.js'
import {QUIET, settle, type Sighting} from '#lib/follow/local/settling.js'
import {createSums} from '#lib/follow/local/sums.js'
import type {FolderWatcher, WatchFolders} from '#lib/follow/local/watch-folders.js'
import {isSignInFailure, nextChangesDelay, outageOf} from '#lib/follow/poll.js'
import {createWake} from '#lib/follow/wake.js'
import {trimMemory} from '#lib/platform/trim-memory.js'
import type {IgnoreRules} from '#lib/transfer/local/rules.js'
import type {IfExists} from '#lib/transfer/resolve-conflict.js'
import {parentOf} from '#lib/transfer/tree/steps.js'
import {folderIdentity, rootGone, watchErrorText} from './follow-machine.js'
import {roundLines, roundRow, type RoundTally} from './follow-summary.js'
import {pushRound, type PushRounds} from './push-round.js'
import type {ComparedState} from './push-waiter.js'

interface Following {
  /** The absolute path of the local folder. */
  readonly root: string
  /** The exclude rules as they are now. */
  readonly rulesNow: () => IgnoreRules
  readonly watch: WatchFolders
  /** For the first round, if nothing is known yet: what to do with remote files that differ. */
  readonly ifExists?: IfExists
  /** Where earlier rounds ended. */
  readonly state?: ComparedState
  /** Called when nothing is left to do, with the state for later rounds; does not return. */
  readonly onIdle?: (state: ComparedState) => Promise<never>
}

/** Milliseconds after which everything is compared again, in case a report was lost. */
const FULL = 60 * 60_000
/** The same while the system refuses to watch. */
const FULL_UNWATCHED = 60_000
/** Milliseconds without a report after which memory is released. */
const IDLE = 10_000
/** How often that is done: V8 keeps code until it has been idle for several collections. */
const TRIMS = 3
/** Milliseconds for which reports are collected. */
const BURST = 200

/** A change that was tried, so that it is tried again more and more rarely. */
interface Attempted {
  readonly mark: string
  readonly delay: number
  /** Milliseconds since 1970. */
  readonly until: number
}

/** Compares, waits until changes have settled, and carries them out, until the command ends. */
export async function followLocally(rounds: PushRounds, following: Following): Promise<void> {
  const {context, tree, world} = rounds
  const {isDeleting} = rounds.options
  const {root, rulesNow, watch, state, onIdle} = following
  const {now, note, sleep} = context
  const {signal} = world
  const wake = createWake()
  const inodes = new Map(state?.inodes)
  const identity = state ? state.identity : folderIdentity(root)
  const told = new Set(state?.told)
  const attempts = new Map<string, Attempted>()
  const sums = createSums(signal)
  let rules = rulesNow()
  let isRefused = state?.isRefused ?? false
  let folders: Set<string> | 'all' =
    state && state.folders !== 'all' ? new Set(state.folders) : 'all'
  let sightings: ReadonlyMap<string, Sighting> = new Map()
  let {ifExists} = following
  let outage: number | undefined
  let lastFull = state?.lastFull ?? now()
  let isReported = false

  // The folders have to be known before watching starts.
  if (!state) await view('all')
  const watcher = await watch({
    root,
    folders: ['', ...inodes.keys()],
    onReport() {
      isReported = true
      wake.wake()
    },
    onRefused(error) {
      if (!isRefused) note(watchErrorText(error))
      isRefused = true
    },
  })
  context.onEnd(() => watcher.close())
  signal.addEventListener('abort', () => wake.wake(), {once: true})
  for (;;) {
    const next = await compareAndCarryOut()
    if (next === 'again') continue
    if (next.wait === undefined) tell(`Following ${root}. Press Ctrl-C to stop.`)
    await pause(next.wait)
  }

  /**
   * Compares the folders that may have changed, and carries out settled changes. Returns the milliseconds until others
   * can have settled. A function of its own, so that a long wait holds no lists in memory.
   */
  async function compareAndCarryOut(): Promise<'again' | {readonly wait: number | undefined}> {
    await takeReports(watcher)
    if (folders === 'all') lastFull = now()
    await takeForgotten()
    const found = await view(folders)
    if (found.unwatched.length > 0) await watcher.add(found.unwatched)
    const compared = compareLocal(found.known, found)
    const unread = unreadFolders(compared, found.known, found.read)
    if (unread.length > 0 && folders !== 'all') {
      for (const folder of unread) folders.add(folder)
      return 'again'
    }
    const changes = await withMoves(withoutCopies(compared))
    const marks = marksOf(changes)
    for (const path of attempts.keys()) if (!marks.has(path)) attempts.delete(path)
    const settling = settle(sightings, marks, now())
    sightings = settling.sightings
    const isSettled = (path: string) => settling.settled.has(path) && !isHeldBack(path, marks)
    const due = dueChanges(changes, isSettled)
    // What vanished and is not to be trashed is only needed to recognize moves.
    const isOver = (path: string) => !isDeleting && settling.settled.has(path)
    const vanished = changes.vanished.filter(({path}) => !isOver(path))
    folders = foldersOf({...changes, vanished})
    return (await carryOut(due, marks)) ? 'again' : {wait: settling.wait}
  }

  /** Adds the reported folders to `folders`. */
  async function takeReports({take}: FolderWatcher): Promise<void> {
    isReported = false
    const reported = await take()
    // A folder that replaces another one may have other rules.
    rules = rulesNow()
    for (const path of reported.gone) inodes.delete(path)
    const isLate = now() >= nextFull()
    if (reported.isUncertain || reported.isOfRules || isLate) folders = 'all'
    if (folders !== 'all') for (const folder of reported.folders) folders.add(folder)
  }

  /** Adds the folders in which a pull has forgotten items: nothing else reports these. */
  async function takeForgotten(): Promise<void> {
    await tree.refresh()
    const ids = tree.forgottenIn()
    if (ids.length === 0) return
    const paths = ids.flatMap(id => tree.pathOf(id) ?? [])
    if (folders !== 'all') for (const path of paths) folders.add(path)
    await tree.update(draft => draft.compared(ids))
  }

  /** Reads folders. Throws `CommandError` if the followed folder is not the same any more. */
  async function view(some: ReadonlySet<string> | 'all') {
    if (folderIdentity(root) !== identity) throw rootGone(root)
    const known = knownItems(tree)
    const every = function* () {
      yield ''
      for (const {kind, path} of known.below('')) if (kind === 'folder') yield path
    }
    const read = await readView(some === 'all' ? every() : some, {
      root,
      rules,
      known,
      inodes,
      signal,
    })
    for (const [path, reason] of read.problems)
      tell(`Skipped: ${problemLine(path, `it is ${reason}`)}`)
    return {...read, known}
  }

  /** Prints a notice once. */
  function tell(text: string): void {
    if (!told.has(text)) note(text)
    told.add(text)
  }

  /** The changes with moves that only the content reveals. */
  async function withMoves(changes: LocalChanges): Promise<LocalChanges> {
    const items = mayBeMoved(changes).filter(item => {
      const last = sightings.get(item.path)
      return last?.mark === markOf(item) && now() - last.since >= QUIET
    })
    return items.length === 0 ? changes : pairByContent(changes, await sums.of(items))
  }

  /** Whether a change was tried before, and it is too early to try it again. */
  function isHeldBack(path: string, marks: ReadonlyMap<string, string>): boolean {
    const last = attempts.get(path)
    return last !== undefined && last.mark === marks.get(path) && now() < last.until
  }

  /** Carries out changes in a round; returns whether to compare again at once. */
  async function carryOut(due: LocalChanges, marks: ReadonlyMap<string, string>): Promise<boolean> {
    const touched = due.pairs.filter(
      ({known, item}) => item.kind === 'file' && mayDiffer(known, item),
    )
    const found = await sums.of(touched.map(({item}) => item))
    const unread = new Set(touched.filter(({item}) => !found.has(item.path)))
    const changes = {
      pairs: due.pairs.filter(pair => !unread.has(pair)),
      appeared: due.appeared,
      vanished: isDeleting ? due.vanished : [],
    }
    const tried = [...marksOf({...changes, pairs: due.pairs}).keys()]
    if (tried.length === 0) return false
    for (const path of tried) {
      const mark = marks.get(path) ?? ''
      const last = attempts.get(path)
      const delay = nextChangesDelay('idle', last?.mark === mark ? last.delay : undefined)
      attempts.set(path, {mark, delay, until: now() + delay})
    }
    try {
      const started = now()
      const given = {changes, sums: found, excludedBy: rules, ifExists}
      const {tally, again} = await pushRound(rounds, given)
      await report(tally, now() - started)
      for (const path of again) attempts.delete(path)
      for (const path of again) if (folders !== 'all') folders.add(path).add(parentOf(path))
      if (again.includes('')) folders = 'all'
      ifExists = undefined
      sums.clear()
      return true
    } catch (error) {
      if (isSignInFailure(error) && !signal.aborted && (await rounds.renew())) {
        attempts.clear()
        return true
      }
      const failure = outageOf(error, true)
      if (!failure) throw error
      if (outage === undefined) note(`${context.explain(error).message} drv keeps trying.`)
      outage = nextChangesDelay(failure, outage)
      attempts.clear()
      await wake.wait(outage, sleep)
      signal.throwIfAborted()
      return true
    } finally {
      rounds.endRound()
    }
  }

  /** Prints what a round has done, and that an outage is over. */
  async function report(tally: RoundTally, milliseconds: number): Promise<void> {
    const lines = roundLines(tally)
    for (const line of lines) note(line)
    if (rounds.printer.isStructured && lines.length + tally.failed.length > 0) {
      await rounds.rows.print(roundRow(tally, milliseconds))
    }
    for (const {path, reason} of tally.skipped) tell(`Skipped: ${problemLine(path, reason)}`)
    if (outage !== undefined) note('The service responds again.')
    outage = undefined
  }

  function nextFull(): number {
    return lastFull + (isRefused ? FULL_UNWATCHED : FULL)
  }

  /** Waits for a report, or until something can have settled or is to be tried again. */
  async function pause(wait: number | undefined): Promise<void> {
    const times = [...attempts.values()].map(({until}) => until)
    const until = Math.min(nextFull(), ...times, ...(wait === undefined ? [] : [now() + wait]))
    const left = () => Math.max(0, until - now())
    for (let times = 0; !isReported && left() > 0; times++) {
      await wake.wait(times < TRIMS ? Math.min(left(), IDLE) : left(), sleep)
      signal.throwIfAborted()
      if (isReported || left() === 0) break
      const lists = {identity, inodes, told, folders}
      if (until === nextFull()) await onIdle?.({...lists, lastFull, nextFull: until, isRefused})
      sums.clear()
      tree.unload()
      trimMemory()
    }
    signal.throwIfAborted()
    if (isReported) await sleep(BURST)
  }
}
