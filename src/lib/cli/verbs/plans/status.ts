import {readdir} from 'node:fs/promises'
import {basename, dirname, join} from 'node:path'
import type {KeySet} from '#lib/cli/plan-file/key-set.js'
import {openPlan, type PlanFile} from '#lib/cli/plan-file/read-plan.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {checkpointPath, type PlanProgress, readProgress} from './plan-checkpoint.js'
import {readDependencies, type Shard} from './selection.js'

/** The status of a part of a plan. */
export interface PartStatus {
  /** `3/8`, the name of a checkpoint, or `all`. */
  readonly part: string
  readonly steps: number
  readonly done: number
  readonly conflicts: number
  readonly failed: number
  /** The number of steps without a result. */
  readonly left: number
}

type Counts = {-readonly [Name in Exclude<keyof PartStatus, 'part'>]: number}

const none = (): Counts => ({steps: 0, done: 0, conflicts: 0, failed: 0, left: 0})

/**
 * The status of a plan from all of its checkpoints: a row for each shard, if the names of the checkpoints show
 * it, and a row for all steps. Throws `UsageError` for a file that is not a checkpoint of this plan.
 */
export async function planStatus(
  file: string,
  named: readonly string[],
  stdin: AsyncIterable<Uint8Array | string>,
): Promise<PartStatus[]> {
  const plan = await openPlan(file, stdin)
  try {
    const paths = named.length > 0 ? named : await checkpointsBeside(file)
    const checkpoints: PlanProgress[] = []
    for (const path of paths) checkpoints.push(await readNamed(path, named, plan.head))
    const shards = paths.flatMap(path => shardIn(path) ?? [])
    const [{count = 0} = {}] = shards
    const isSharded = count > 0 && shards.every(shard => shard.count === count)
    const all = none()
    const parts = Array.from({length: isSharded ? count : 0}, none)
    // The shard of a step is known when all of them have been read.
    const dependencies = await readDependencies(plan.steps, () => undefined)
    for await (const step of plan.steps()) {
      const key = Number(step.key)
      const kind = stateOf(key, checkpoints)
      const part = isSharded ? parts[dependencies.shardOf(key, count) - 1]! : undefined
      for (const counts of part ? [part, all] : [all]) {
        counts.steps += 1
        counts[kind] += 1
      }
    }
    const rows = parts.map((counts, index) => ({part: `${index + 1}/${count}`, ...counts}))
    return [...rows, {part: 'all', ...all}]
  } finally {
    await plan.close()
  }
}

/** Whether `done` and the checkpoints next to a plan have all of its steps: shards have a checkpoint each. */
export async function isPlanDone(
  plan: PlanFile,
  file: string,
  done: KeySet | undefined,
): Promise<boolean> {
  const all = done ? [done] : []
  for (const path of await checkpointsBeside(file)) {
    all.push((await readProgress({path, isDefault: true}, plan.head)).done)
  }
  for await (const {key} of plan.steps()) {
    if (!all.some(keys => keys.has(Number(key)))) return false
  }
  return true
}

async function readNamed(
  path: string,
  named: readonly string[],
  head: Parameters<typeof readProgress>[1],
): Promise<PlanProgress> {
  const progress = await readProgress({path, isDefault: named.length === 0}, head)
  if (named.length === 0 || progress.isThere) return progress
  throw new UsageError(
    `Cannot read the checkpoint ${path}: no such file or directory.`,
    'Check the path.',
  )
}

function stateOf(
  key: number,
  checkpoints: readonly PlanProgress[],
): Exclude<keyof Counts, 'steps'> {
  if (checkpoints.some(({done}) => done.has(key))) return 'done'
  const problem = checkpoints.map(({problems}) => problems.get(key)).find(Boolean)
  if (!problem) return 'left'
  return problem.isConflict ? 'conflicts' : 'failed'
}

/** The shard in the default name of a checkpoint. */
function shardIn(path: string): Shard | undefined {
  const [, index, count] = /\.(\d+)-of-(\d+)\.done$/.exec(path) ?? []
  return index === undefined ? undefined : {index: Number(index), count: Number(count)}
}

/** The checkpoints of a plan under their default names. */
async function checkpointsBeside(file: string): Promise<string[]> {
  if (file === '-') return []
  const [folder, name] = [dirname(file), basename(file)]
  const names = await readdir(folder).catch((): string[] => [])
  const isOwn = (one: string) =>
    one === checkpointPath(name) || (one.startsWith(`${name}.`) && shardIn(one) !== undefined)
  return names
    .filter(isOwn)
    .sort()
    .map(one => join(folder, one))
}
