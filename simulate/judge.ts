import {readdirSync, readFileSync, statSync} from 'node:fs'
import {basename, join, relative} from 'node:path'
import {UNKNOWN_BEFORE} from '#lib/history/reversal.js'
import {isPart} from '#lib/transfer/target.js'
import type {Result} from '../test/support/drv.js'
import type {Action, Machine} from './action.js'
import type {LocalTree} from './local.js'
import type {Difference} from './remote.js'

/** Decides whether what a command left behind is allowed. Everything here is pure but `strayFiles` and `leaks`. */

/** The exit codes with which faults may end a command: rate limit, network, some steps. */
const FAULTY = [7, 8, 9]
const INTERRUPTED = 130
const CONFLICT = 12
/** A sign-in that has expired. */
const NO_SIGN_IN = 4

/** A finished command. */
export interface Run {
  readonly machine: Machine
  readonly action: Action
  readonly result: Result
  /** Whether the sign-in of the machine may have expired. */
  readonly isExpired?: boolean
  /** The signal that was sent to it. */
  readonly kill?: NodeJS.Signals
  /** What another client did in the area of the machine meanwhile. */
  readonly foreign?: ForeignChange
  readonly before: {readonly work: LocalTree; readonly copy: LocalTree}
  readonly after: {readonly work: LocalTree; readonly copy: LocalTree}
}

/** A file that another client created in the folder that the machine pushes. */
export interface ForeignChange {
  readonly id: string
  /** The path below the pushed folder. */
  readonly name: string
  readonly md5: string
  /** The difference that it made. */
  readonly text: string
}

/** Whether an undo has nothing left that it can undo: the state before the other changes could not be read. */
function isAsUndone({action, result}: Pick<Run, 'action' | 'result'>): boolean {
  const isUndo = action.argv[0] === 'undo' && result.code === CONFLICT
  return isUndo && result.stderr.includes(UNKNOWN_BEFORE)
}

/** Whether a command has done all that it can, and is not repeated. */
export function isFinished({action, result}: Pick<Run, 'action' | 'result'>): boolean {
  const {code} = result
  return code === 0 || action.codes?.includes(code!) === true || isAsUndone({action, result})
}

/** What is wrong with the end of a command, in sentences. `all` are the differences in the area of its machine. */
export function judge(run: Run, all: readonly Difference[]): string[] {
  const {action, result} = run
  const wrong: string[] = []
  const isDone = result.code === 0
  const isKilled = result.signal !== null || (run.kill !== undefined && result.code === INTERRUPTED)
  const isFull =
    run.machine.hasSmallDisk && /the disk is full|read-only/.test(result.stderr + result.stdout)
  const {codes = []} = action
  const isSignedOut = run.isExpired && result.code === NO_SIGN_IN
  if (
    !isDone &&
    !isKilled &&
    !isFull &&
    !isSignedOut &&
    !isAsUndone(run) &&
    ![...FAULTY, ...codes].includes(result.code!)
  ) {
    wrong.push(`The exit code is ${result.code}.`)
  }
  if (/Something went wrong inside drv|\n {4}at /.test(result.stderr)) {
    wrong.push('drv reported an internal error.')
  }
  const missing = new Map<string, number>()
  const {foreign} = run
  for (const text of [...action.remote, ...(foreign ? [foreign.text] : [])]) {
    missing.set(text, (missing.get(text) ?? 0) + 1)
  }
  // A push with --delete may have seen the file of another client.
  const isAllowed = (text: string) =>
    foreign !== undefined && action.argv.includes('--delete') && text === `trash ${foreign.id}`
  for (const {text} of all) {
    const count = missing.get(text) ?? 0
    if (count === 0 && !isAllowed(text)) wrong.push(`Nothing asked for this change: ${text}`)
    else missing.set(text, count - 1)
  }
  if (isDone) {
    for (const [text, count] of missing) if (count > 0) wrong.push(`Exit code 0 without: ${text}`)
  }
  wrong.push(...judgeLocal(run, isDone))
  return wrong
}

function judgeLocal({action, before, after, foreign}: Run, isDone: boolean): string[] {
  const wrong: string[] = []
  for (const path of changedPaths(before.work, after.work)) wrong.push(`Local change: work/${path}`)
  const wanted = action.local ?? new Map<string, string | undefined>()
  for (const path of changedPaths(before.copy, after.copy)) {
    // A command that was killed leaves partial files, which the next one completes or removes (see `strayFiles`).
    if (!isDone && isPart(basename(path))) continue
    const isForeign = path === foreign?.name && after.copy.get(path) === foreign.md5
    const isWanted = isForeign || (wanted.has(path) && wanted.get(path) === after.copy.get(path))
    if (!isWanted) wrong.push(`Nothing asked for this local change: copy/${path}`)
  }
  if (isDone) {
    for (const [path, sum] of wanted) {
      if (after.copy.get(path) !== sum) wrong.push(`Exit code 0 without: copy/${path}`)
    }
  }
  return wrong
}

function changedPaths(before: LocalTree, after: LocalTree): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    path => before.get(path) !== after.get(path),
  )
}

function allFiles(folder: string): string[] {
  return readdirSync(folder, {recursive: true, withFileTypes: true})
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}

/** Partial files, locks and journals that finished commands have left in the folders of a machine. */
export function strayFiles(home: string): string[] {
  return allFiles(home)
    .map(path => relative(home, path))
    .filter(path => /\.(part|lock)$|state(-live)?\/drv\/transfers\/./.test(path))
}

/** The files of a machine, except its token store, that contain one of the secrets or that others may read. */
export function leaks(home: string, secrets: readonly string[]): string[] {
  const wrong: string[] = []
  for (const path of allFiles(home)) {
    const name = relative(home, path)
    const isStore = /config\/drv\/(credentials|tokens)/.test(name)
    const text = readFileSync(path, 'latin1')
    if (!isStore && secrets.some(secret => text.includes(secret)))
      wrong.push(`A token is in ${name}.`)
    if (/^(config|state(-live)?)\//.test(name) && (statSync(path).mode & 0o077) !== 0) {
      wrong.push(`Others can read ${name}.`)
    }
  }
  return wrong
}

/** Outputs of a command that contain one of the secrets. */
export function leaksInOutput({stdout, stderr}: Result, secrets: readonly string[]): string[] {
  return Object.entries({stdout, stderr})
    .filter(([, text]) => secrets.some(secret => text.includes(secret)))
    .map(([name]) => `A token is in ${name}.`)
}
