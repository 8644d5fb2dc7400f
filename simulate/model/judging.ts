import type {Result} from '../../test/support/drv.js'
import type {Action} from '../action.js'
import {undoing} from '../actions.js'
import {type HistoryStep, judgeHistory} from '../history.js'
import {isFinished, judge} from '../judge.js'
import type {Difference, Remote} from '../remote.js'
import {FOLLOW, SHARED} from './actions.js'
import {
  deniedChanges,
  judgeShared,
  reportable,
  withoutImplied,
  withoutImpliedSteps,
} from './observations.js'
import type {Command} from './program.js'
import type {Terminal, Trees} from './terminals.js'

/** Judges what commands that ran at the same time have left behind. */

/** A command that has ended. */
export interface Run {
  readonly terminal: Terminal
  readonly action: Action
  readonly command: Command
  readonly result: Result
  /** The local folders of its terminal. */
  readonly before: Trees
  readonly after: Trees
}

/** What was observed before and after some commands. */
interface Seen {
  readonly before: Remote
  readonly after: Remote
  readonly changes: readonly Difference[]
  /** The steps that the histories have got, by machine. */
  readonly steps: ReadonlyMap<string, readonly HistoryStep[]>
  /** The machines that lost power. */
  readonly lost: ReadonlySet<string>
}

export const isRepeated = ({command}: Run): boolean => command.action === 'again'

const isShared = ({command}: Run): boolean => command.action === 'shared'

/** What is wrong after some commands, in sentences. */
export function judgeRound(
  runs: readonly Run[],
  terminals: readonly Terminal[],
  seen: Seen,
): string[] {
  const {after, changes, steps} = seen
  const inShared = ({path}: Difference) => path.startsWith(`${SHARED}/`)
  const own = runs.filter(run => !isShared(run))
  const sharing = runs
    .filter(isShared)
    .map(({action, result}) => ({action, isDone: result.code === 0}))
  return [
    ...own.flatMap(run => judgeOwn(run, seen)),
    ...judgeFollowers(runs, terminals, changes),
    ...judgeShared(sharing, changes.filter(inShared), after),
    ...changes
      .filter(change => !inShared(change))
      .filter(({path}) => !runs.some(({terminal}) => isWithin(path, terminal)))
      .map(({text}) => `Outside of the folders of all commands: ${text}`),
    ...[...steps.keys()].flatMap(disk => judgeMachine(disk, runs, seen)),
  ]
}

/** What is wrong with a command and the folder of its terminal. */
function judgeOwn(run: Run, {after, changes, lost}: Seen): string[] {
  const {terminal, action, result, before} = run
  const {machine} = terminal
  // What lies in the trash with its folder counts as trashed.
  const allowed = {...action, remote: withoutImplied(action.remote, after)}
  const trees = {before, after: run.after}
  const all = judge({machine, action: allowed, result, ...trees}, within(terminal, changes))
  const wrong = all.filter(text => {
    const path = /^Nothing asked for this local change: copy\/(.*)$/s.exec(text)?.[1]
    if (path === undefined) return true
    // New files are not flushed. A later pull downloads them again.
    return !(lost.has(terminal.disk) && !before.copy.has(path) && action.local?.get(path))
  })
  const named = wrong.map(text => `${machine.name}: ${text}`)
  return wrong.length > 0 ? [...named, result.stderr] : []
}

/** What is wrong with the history of a machine. */
function judgeMachine(disk: string, runs: readonly Run[], seen: Seen): string[] {
  const {before, after, changes, steps, lost} = seen
  const ofDisk = runs.filter(({terminal}) => terminal.disk === disk)
  // A repeated command records again what its first run has changed.
  if (ofDisk.some(isRepeated)) return []
  const isOfShared = ({fileId}: HistoryStep) => after.pathOf(fileId).startsWith(`${SHARED}/`)
  const own = steps.get(disk)!.filter(step => !isOfShared(step))
  const all = ofDisk.flatMap(({terminal}) => within(terminal, changes))
  const found = judgeHistory(withoutImpliedSteps(own, after), all, after, before)
  // The end of the history is not flushed.
  const isShort = (text: string) => lost.has(disk) && text.includes('does not have')
  return [...found.filter(text => !isShort(text)), ...deniedChanges(own, all)]
}

/** Items that changed and that no follower of a terminal reported, although it should have. */
function judgeFollowers(
  runs: readonly Run[],
  terminals: readonly Terminal[],
  changes: readonly Difference[],
): string[] {
  const wrong: string[] = []
  for (const terminal of terminals) {
    const run = runs.find(one => one.terminal === terminal && one.command.action === FOLLOW)
    const reported = new Set(run?.result.stdout.split('\n').map(idIn))
    for (const id of reported) terminal.unreported?.delete(id)
    if (run?.result.code === 0) {
      for (const id of terminal.unreported ?? []) {
        wrong.push(`${terminal.machine.name}: The follower did not report ${id}.`)
      }
      // What changed while it ran may have come too late for it.
      if (!terminal.unreported) {
        terminal.unreported = new Set()
        continue
      }
    }
    for (const id of reportable(changes)) if (!reported.has(id)) terminal.unreported?.add(id)
  }
  return wrong
}

/** The ID of the item in a row of a follower, which may be cut short. */
const idIn = (row: string): string => /"id":"([^"]*)"/.exec(row)?.[1] ?? ''

/** Decides what the terminal of a command can do next. */
export function conclude(
  run: Run,
  changes: readonly Difference[],
  steps: readonly HistoryStep[],
): void {
  const {terminal, action} = run
  if (isShared(run)) return
  terminal.pending = isFinished(run) ? action.then : action.repeat
  terminal.undo = isRepeated(run) ? undefined : undoOf(within(terminal, changes), steps)
}

/** What undoes changes, if they are those of one command and can be undone. */
function undoOf(
  changes: readonly Difference[],
  steps: readonly HistoryStep[],
): ((remote: Remote) => Action) | undefined {
  const ids = new Set(changes.map(({id}) => id))
  const runs = new Set(
    steps.filter(({fileId}) => ids.has(fileId)).map(({id}) => id.slice(0, id.indexOf('/'))),
  )
  const [run] = runs
  const canUndo = changes.every(({reverse}) => reverse !== undefined)
  return run !== undefined && runs.size === 1 && canUndo ? undoing(run, changes) : undefined
}

const isWithin = (path: string, {machine: {area}}: Terminal) =>
  path === area || path.startsWith(`${area}/`)

const within = (terminal: Terminal, changes: readonly Difference[]) =>
  changes.filter(({path}) => isWithin(path, terminal))
