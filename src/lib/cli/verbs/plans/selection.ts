import {nonEmptyText} from '#lib/api/validate.js'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import type {PlanStep} from '#lib/cli/plan-file/format.js'
import {createKeySet, type KeySet} from '#lib/cli/plan-file/key-set.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {createRules} from '#lib/transfer/local/rules.js'

/**
 * Selects the steps of a plan that a run applies: a shard, those that match a pattern, and all that they
 * depend on. Memory grows with the steps that others depend on, not with the plan.
 */

/** One of several parts of a plan, which can run on different machines. */
export interface Shard {
  /** From 1. */
  readonly index: number
  readonly count: number
}

const MOST_SHARDS = 10_000

/** The value of `--shard`. Throws `UsageError`. */
export function readShard(text: string): Shard {
  const [, index = 0, count = 0] = (/^(\d{1,5})\/(\d{1,5})$/.exec(text) ?? []).map(Number)
  if (index >= 1 && index <= count && count <= MOST_SHARDS) return {index, count}
  throw new UsageError(
    `Invalid --shard: must be K/N with K from 1 to N, such as 3/8, not "${text}".`,
    `N is at most ${MOST_SHARDS}.`,
  )
}

type Steps = () => AsyncIterable<PlanStep>
type IsWanted = (step: PlanStep) => Promise<boolean>

/** How the steps of a plan depend on each other. */
export interface Dependencies {
  /** Whether a later step comes after this one. */
  isNeeded(key: number): boolean
  /** The shard of a step, from 1. */
  shardOf(key: number, count: number): number
}

/**
 * Whether several shards can run a step without doing it twice: it creates a folder or a shared drive under
 * an ID that the plan has reserved.
 */
function isShared({operation, body, params, local}: PlanStep): boolean {
  if (operation === 'drives.insert') return nonEmptyText(params?.requestId) !== undefined
  const isFolder = operation === 'files.insert' && body?.mimeType === FOLDER_TYPE && !local
  return isFolder && nonEmptyText(body.id) !== undefined
}

/** Reads all steps, and calls `visit` for each. */
export async function readDependencies(
  steps: Steps,
  visit: (step: PlanStep) => void,
): Promise<Dependencies> {
  const needed = createKeySet()
  const shared = createKeySet()
  const groups = createGroups()
  for await (const step of steps()) {
    visit(step)
    const key = Number(step.key)
    const before = (step.after ?? []).map(Number)
    const others = before.filter(one => !shared.has(one))
    for (const one of before) needed.add(one)
    if (others.length === 0 && isShared(step)) shared.add(key)
    for (const one of others) groups.join(one, key)
  }
  return {
    isNeeded: key => needed.has(key),
    shardOf: (key, count) => ((groups.firstOf(key) - 1) % count) + 1,
  }
}

/** Connected steps, which stay together. */
function createGroups() {
  const above = new Map<number, number>()
  function firstOf(key: number): number {
    let first = key
    for (let next = above.get(first); next !== undefined; next = above.get(first)) first = next
    // The next search from here takes one step.
    for (let at = key; at !== first;) {
      const next = above.get(at)!
      above.set(at, first)
      at = next
    }
    return first
  }
  return {
    firstOf,
    join(one: number, other: number): void {
      const [first, second] = [firstOf(one), firstOf(other)].sort((a, b) => a - b)
      if (first !== second) above.set(second!, first!)
    },
  }
}

/** The keys of the wanted steps of a shard, and of all steps that they need. */
export async function selectKeys(
  steps: Steps,
  {isNeeded, shardOf}: Dependencies,
  {shard, isWanted}: {readonly shard?: Shard; readonly isWanted?: IsWanted},
): Promise<KeySet> {
  const selected = createKeySet()
  const before = new Map<number, readonly number[]>()
  for await (const step of steps()) {
    const key = Number(step.key)
    const after = (step.after ?? []).map(Number)
    if (after.length > 0 && isNeeded(key)) before.set(key, after)
    if (shard && shardOf(key, shard.count) !== shard.index) continue
    if (isWanted && !(await isWanted(step))) continue
    const open = [key]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (selected.add(next)) open.push(...(next === key ? after : (before.get(next) ?? [])))
    }
  }
  return selected
}

/** Whether the label or the path of a step matches a pattern in the syntax of `.gitignore`. */
export function patternFilter(pattern: string): IsWanted {
  const rules = createRules({exclude: [pattern]})
  const matches = (path: string) =>
    rules.excludes(
      path.split('/').filter(name => name !== ''),
      false,
    )
  return async ({label, path, output, local}) => {
    for (const one of new Set([label, path, output?.path, local?.path])) {
      if (one !== undefined && /[^/]/.test(one) && (await matches(one))) return true
    }
    return false
  }
}
