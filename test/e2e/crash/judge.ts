import {statSync} from 'node:fs'
import {relative} from 'node:path'
import {type HistoryStep, judgeHistory} from '../../../simulate/history.js'
import {differences} from '../../../simulate/remote.js'
import type {Result} from '../../support/drv.js'
import {type Observation, stateFiles} from './observe.js'
import {codeOf, type Stage, type Story} from './story.js'

/** What is wrong with what a command has left, in sentences. */

/** Judges the moment after a crash: nothing is half there, open to others, or claimed without having happened. */
export function judgeCrash(
  stage: Stage,
  {
    steps,
    isPowerFailure,
  }: {readonly steps?: readonly HistoryStep[]; readonly isPowerFailure: boolean},
  {before, crashed, complete}: Record<'before' | 'crashed' | 'complete', Observation>,
): string[] {
  const wrong: string[] = []
  for (const path of stateFiles(stage.home)) {
    if ((statSync(path).mode & 0o077) !== 0)
      wrong.push(`Others can read ${relative(stage.home, path)}.`)
  }
  const contents = new Set([...before.files.values(), ...complete.files.values()])
  for (const [path, sum] of crashed.files) {
    // As with other programs, a power failure can empty a file that has just been created; the next run completes it.
    const mayBeHalf = path.endsWith('.part') || (isPowerFailure && !before.files.has(path))
    if (!mayBeHalf && !contents.has(sum)) wrong.push(`Half a local file: ${path}`)
  }
  for (const [path, sum] of before.files) {
    if (!complete.files.has(path) || crashed.files.has(path)) continue
    const isAside = [...crashed.files].some(([other, one]) => one === sum && isRemoved(other))
    if (!isAside) wrong.push(`Lost local file: ${path}`)
  }
  const allowed = new Set([...before.items, ...complete.items].map(withoutMarks))
  for (const item of crashed.items) {
    if (!allowed.has(withoutMarks(item))) wrong.push(`Half a remote item: ${item}`)
  }
  const changes = differences(before.remote, crashed.remote)
  if (steps) wrong.push(...judgeHistory(steps, changes, crashed.remote, before.remote))
  return wrong
}

/** Whether a local file is in the folder for removed files. */
const isRemoved = (path: string) => path.includes('.drv-trash/')

/**
 * A local tree without old files that a failure may leave there: the content that was replaced is in the folder for
 * removed files, and what could not be moved, which the command has said, is still in its place.
 */
export function withoutOldFiles(
  found: Observation,
  {before, complete}: Record<'before' | 'complete', Observation>,
  {stderr}: Pick<Result, 'stderr'>,
): Observation {
  const old = new Set(before.files.values())
  const isOld = ([path, sum]: readonly [string, string]) =>
    isRemoved(path) ? old.has(sum) : before.files.get(path) === sum && stderr.includes('Failed: ')
  const files = [...found.files].filter(one => complete.files.has(one[0]) || !isOld(one))
  return {...found, files: new Map(files)}
}

/** Judges the second run: it completes what the first one began, and leaves what one complete run leaves. */
export function judgeRecovery(
  story: Story,
  {code, stderr}: Result,
  {recovered, complete}: Record<'recovered' | 'complete', Observation>,
): string[] {
  const wrong: string[] = []
  if (code !== codeOf(story) && !story.again?.includes(code!))
    wrong.push(`The second run ended with ${code}: ${stderr}`)
  if (isInternal(stderr)) wrong.push(`Internal error: ${stderr}`)
  const items = recovered.items.filter(
    (item, index, all) => !(story.doubles?.test(item) && all.indexOf(item) !== index),
  )
  return [
    ...wrong,
    ...judgeComplete(complete, {...recovered, items}),
    ...compared('output', complete.outputs, recovered.outputs),
    ...compared('state file', complete.state, recovered.state).filter(isStray),
  ]
}

/**
 * Whether something is wrong with a state file. A run that had nothing left to do writes less, records that nothing is,
 * and leaves locks that the next one takes over. Unfinished files of the local service are deleted when it has been
 * reset, those of SQLite when the database is opened again.
 */
const isStray = (problem: string) =>
  problem.startsWith('Unexpected') &&
  !/(?:\.lock|\.fingerprint\.json|\.unfinished|-shm|-wal) /.test(problem)

const filesOf = ({files}: Observation) => [...files].map(pair => pair.join(' '))

/** Judges a run that ended with 0. */
export function judgeComplete(complete: Observation, found: Observation): string[] {
  return [
    ...compared('remote item', complete.items, found.items),
    ...compared('local file', filesOf(complete), filesOf(found)),
  ]
}

/** Judges the message of a command whose disk failed. */
export function judgeError(story: Story, {code, stderr, stdout}: Result): string[] {
  const wrong: string[] = []
  const lines = stderr.split('\n').filter(line => /^(?:[Ee]rror|Warning|Note)?:? ?\S/.test(line))
  if (isInternal(stderr)) wrong.push(`Internal error: ${stderr}`)
  if (code !== codeOf(story) && !stderr.includes('Error: '))
    wrong.push(`Exit code ${code} without an error.`)
  // A follower also says what it has done.
  if (lines.length > 6 && code !== 130) wrong.push(`${lines.length} lines for one error: ${stderr}`)
  if (/simulated/.test(stderr + stdout)) wrong.push(`The message of the system: ${stderr}`)
  return wrong
}

export const isInternal = (stderr: string) =>
  /Something went wrong inside drv|\n {4}at /.test(stderr)

const withoutMarks = (item: string) => item.replace(/( (?:trashed|starred|\S+=\w+))+$/, '')

function compared(what: string, wanted: readonly string[], found: readonly string[]): string[] {
  const left = [...found]
  const missing = wanted.filter(one => {
    const index = left.indexOf(one)
    if (index >= 0) left.splice(index, 1)
    return index < 0
  })
  return [
    ...missing.map(one => `Missing ${what}: ${one}`),
    ...left.map(one => `Unexpected ${what}: ${one}`),
  ]
}
