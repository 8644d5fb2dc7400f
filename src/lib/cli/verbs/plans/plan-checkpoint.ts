import {closeSync, openSync, writeFileSync} from 'node:fs'
import {nonEmptyText} from '#lib/api/validate.js'
import {unwritable} from '#lib/cli/explain/unreadable.js'
import type {PlanHead} from '#lib/cli/plan-file/format.js'
import {createKeySet, type KeySet} from '#lib/cli/plan-file/key-set.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {removeStaleLock, tryLock} from '#lib/platform/lock.js'
import {readFileChunks, requireRegularFile} from '#lib/platform/open-file.js'
import {isObject, parseJson} from '#lib/platform/values.js'
import {writeWhole} from '#lib/platform/write-file.js'

/** The results of the steps of a plan, as lines of JSON in a file, so that `drv apply` resumes. */

/** A step that failed, or that found its item changed. */
export interface StepProblem {
  readonly label: string
  readonly reason: string
  readonly isConflict: boolean
}

/** The content of a checkpoint. */
export interface PlanProgress {
  /** Whether the file exists and has a head. */
  readonly isThere: boolean
  readonly done: KeySet
  /** Steps that were begun and whose result is unknown, unless they are done. */
  readonly begun: KeySet
  /** The last problem of each step that is not done. */
  readonly problems: ReadonlyMap<number, StepProblem>
}

/** An open checkpoint. Throws the errors of `unwritable`. */
export interface PlanCheckpoint extends PlanProgress {
  /** Records steps before they are sent. */
  begin(keys: readonly number[]): void
  finish(key: number): void
  fail(key: number, problem: StepProblem): void
  close(): Promise<void>
}

/** The default path of a checkpoint, next to the plan; each shard has its own. */
export function checkpointPath(plan: string, shard?: {index: number; count: number}): string {
  return shard ? `${plan}.${shard.index}-of-${shard.count}.done` : `${plan}.done`
}

/** The file of a checkpoint. */
export interface CheckpointFile {
  readonly path: string
  /** Whether it is the default file of a plan, where the checkpoint of an earlier plan can be replaced. */
  readonly isDefault: boolean
}

/** Reads a checkpoint; empty if the file does not exist. Throws `UsageError` if it belongs to something else. */
export async function readProgress(
  {path, isDefault}: CheckpointFile,
  {id}: Pick<PlanHead, 'id'>,
): Promise<PlanProgress> {
  const [done, begun] = [createKeySet(), createKeySet()]
  const problems = new Map<number, StepProblem>()
  let isFirst = true
  for await (const line of linesOf(path)) {
    const note = parseJson(line)
    if (isFirst) {
      const of = planIn(note)
      if (of !== id) {
        if (isDefault && of !== undefined) break
        throw new UsageError(
          `${path} is not a checkpoint of this plan.`,
          'Pass another file with --checkpoint.',
        )
      }
      isFirst = false
      continue
    }
    // A killed process can leave an incomplete line.
    if (!isObject(note)) continue
    const key = Number(note.done ?? note.failed)
    if (Array.isArray(note.begun)) for (const one of note.begun) begun.add(Number(one))
    if (!Number.isSafeInteger(key) || key < 1) continue
    if (note.done !== undefined) {
      done.add(key)
      problems.delete(key)
    } else {
      const [label, reason] = [String(note.label), String(note.reason)]
      problems.set(key, {label, reason, isConflict: note.isConflict === true})
    }
  }
  return {isThere: !isFirst, done, begun, problems}
}

/** The ID of the plan in the first line of a checkpoint. */
function planIn(head: unknown): string | undefined {
  const about = isObject(head) && isObject(head.checkpoint) ? head.checkpoint : {}
  return nonEmptyText(about.plan)
}

/** Opens or creates a checkpoint, which no other process can use meanwhile. */
export async function openPlanCheckpoint(
  place: CheckpointFile,
  head: PlanHead,
): Promise<PlanCheckpoint> {
  const {path} = place
  const explained = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw unwritable(path, error)
    }
  }
  const release = await tryLock(lockOf(path)).catch((error: unknown) => {
    throw unwritable(path, error)
  })
  if (!release) {
    throw new UsageError(`${path} is in use by another drv process.`, 'Wait for it to finish.')
  }
  try {
    await requireRegularFile(path).catch((error: unknown) => {
      throw unwritable(path, error)
    })
    const progress = await readProgress(place, head)
    // The head is written as a whole and flushed, because a file without it is no checkpoint.
    if (!progress.isThere) {
      const line = `${JSON.stringify({checkpoint: {plan: head.id, service: head.service}})}\n`
      await writeWhole(path, line, {sync: true}).catch((error: unknown) => {
        throw unwritable(path, error)
      })
    }
    const file = explained(() => openSync(path, 'a'))
    const append = (note: object) =>
      // Unlike `writeSync`, it writes all of it or throws.
      explained(() => writeFileSync(file, `${JSON.stringify(note)}\n`))
    // Ends a line that a killed process left incomplete.
    if (progress.isThere) explained(() => writeFileSync(file, '\n'))
    return {
      ...progress,
      begin: keys => append({begun: keys}),
      finish(key) {
        append({done: key})
        progress.done.add(key)
      },
      fail: (key, problem) => append({failed: key, ...problem}),
      async close() {
        closeSync(file)
        await release()
      },
    }
  } catch (error) {
    await release()
    throw error
  }
}

/** Removes the lock that a killed process left. */
export async function releaseEnded({path}: CheckpointFile): Promise<void> {
  await removeStaleLock(lockOf(path)).catch(() => undefined)
}

const lockOf = (path: string) => `${path}.lock`

/** The lines of a file that can be very large; none if it does not exist. */
async function* linesOf(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for await (const chunk of readFileChunks(path)) {
      const lines = (rest + decoder.decode(chunk, {stream: true})).split('\n')
      rest = lines.pop()!
      yield* lines
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw unwritable(path, error)
  }
  if (rest !== '') yield rest
}
