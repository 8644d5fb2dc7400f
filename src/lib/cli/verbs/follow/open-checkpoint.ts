import {join} from 'node:path'
import type {Context} from '#lib/cli/context/context.js'
import {unwritable} from '#lib/cli/explain/unreadable.js'
import {remotePathsOf} from '#lib/cli/input/names/globs.js'
import {locateRemotePaths, withExitCode} from '#lib/cli/input/names/resolver.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {filesOf} from '#lib/cli/verbs/everyday/path-arguments.js'
import {
  type Beginning,
  type ChangeList,
  type FollowCheckpoint,
  type FollowPosition,
  listsOf,
  memoryCheckpoint,
} from '#lib/follow/checkpoint.js'
import {CheckpointError, openCheckpointFile} from '#lib/follow/checkpoint-file.js'
import type {KnownStates} from '#lib/follow/known-states.js'
import {currentToken, learnRecords, listRoots} from '#lib/follow/list-items.js'
import {nameFromKey} from '#lib/platform/state-file.js'
import type {FollowStart} from './flags.js'
import {checkStartToken, checkTokenForm} from './start-token.js'

/** Opens the checkpoint of a follower, and begins it at the first start. */

/** Where the progress is recorded. */
export interface CheckpointPlace {
  readonly file: string | undefined
  readonly isResumed: boolean
}

/** How a follower starts. */
export interface FollowBeginning {
  readonly place: CheckpointPlace
  /** The paths as typed. */
  readonly words: readonly string[]
  readonly start: FollowStart
  /** Filled with the states in the checkpoint, or in the service. */
  readonly known: KnownStates
}

/** Opens the checkpoint, and begins it at the first start. */
export async function openOrBeginCheckpoint(
  context: Context,
  {place, ...beginning}: FollowBeginning,
): Promise<{readonly checkpoint: FollowCheckpoint; readonly isNew: boolean}> {
  const {words, start, known} = beginning
  const checkpoint = await openFollowCheckpoint(context, place, words, known)
  const begun = checkpoint.beginning
  if (!begun) await beginCheckpoint(context, checkpoint, beginning)
  else if (start && 'token' in start) {
    for (const list of listsOf(begun))
      checkTokenForm(start.token, checkpoint.of(list).position!.token)
  }
  return {checkpoint, isNew: !begun}
}

/** Opens it; one that lasts as long as the command without `--resume` and `--checkpoint`. */
async function openFollowCheckpoint(
  context: Context,
  {file, isResumed}: CheckpointPlace,
  words: readonly string[],
  known: KnownStates,
): Promise<FollowCheckpoint> {
  if (file === undefined && !isResumed) return memoryCheckpoint()
  const {profile, binding, signIn} = await context.settings()
  const user = signIn?.user?.login
  const service = user === undefined ? binding : `${binding} (${user})`
  const {state} = context.directories
  const path = file ?? (state && join(state, 'follow', nameOf([profile, service, ...words])))
  if (path === undefined) {
    throw new CommandError(
      'failed',
      'Cannot record progress: there is no home directory.',
      'Pass --checkpoint FILE.',
    )
  }
  try {
    const checkpoint = await openCheckpointFile(path, {service, paths: words}, known)
    context.onEnd(() => checkpoint.close())
    return checkpoint
  } catch (error) {
    if (error instanceof CheckpointError) throw new UsageError(error.message, error.hint)
    throw unwritable(path, error)
  }
}

function nameOf(key: readonly string[]): string {
  return `${nameFromKey(key, 32)}.jsonl`
}

/**
 * Begins a new checkpoint: resolves the followed items, takes the page tokens, then lists the items. Throws like
 * the resolver, and `UsageError` for a start that does not fit the service or the paths.
 */
async function beginCheckpoint(
  context: Context,
  checkpoint: FollowCheckpoint,
  {words, start, known}: Omit<FollowBeginning, 'place'>,
): Promise<void> {
  const client = await context.client()
  const beginning = await beginningOf(context, words, start)
  const lists = listsOf(beginning)
  const positions = new Map<ChangeList, FollowPosition>()
  for (const list of lists) {
    const current = await currentToken(client, list)
    const token = tokenOf(start) ?? current
    if (start && 'token' in start) await checkStartToken(client, {list, token, current, lists})
    positions.set(list, {token})
  }
  for (const list of lists) {
    const roots = beginning.roots.filter(({driveId}) => driveId === list)
    const records = roots.length > 0 ? await listRoots(client, roots, context.signal) : []
    learnRecords(records, known, (id, state) => checkpoint.learn(id, state))
  }
  checkpoint.begin(beginning, positions)
}

/** Changes since a time are among all changes. */
function tokenOf(start: FollowStart): string | undefined {
  if (start === undefined) return undefined
  return 'token' in start ? start.token : ''
}

async function beginningOf(
  context: Context,
  typed: readonly string[],
  start: FollowStart,
): Promise<Beginning> {
  const from = start && 'time' in start ? start.time : undefined
  const words = await filesOf(context, {words: typed, from: undefined})
  const located = await locateRemotePaths(context, remotePathsOf(context, words))
  const found = located.map(one => {
    if ('error' in one) throw withExitCode(one.error)
    return one.found
  })
  return {
    since: from ?? context.now(),
    ...(from !== undefined && {from}),
    roots: found.map(({entry, driveId}, index) => ({
      id: entry.id,
      path: words[index]!,
      isFolder: entry.kind === 'folder',
      ...(driveId !== undefined && {driveId}),
    })),
  }
}
