import {join} from 'node:path'
import type {Context} from '#lib/cli/context/context.js'
import {unwritable} from '#lib/cli/explain/unreadable.js'
import {remotePathsOf} from '#lib/cli/input/names/globs.js'
import {locateRemotePaths, withExitCode} from '#lib/cli/input/names/resolver.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {filesOf} from '#lib/cli/verbs/everyday/path-arguments.js'
import {
  type Beginning,
  CheckpointError,
  type FollowCheckpoint,
  memoryCheckpoint,
  openCheckpointFile,
} from '#lib/follow/checkpoint.js'
import type {KnownStates} from '#lib/follow/known-states.js'
import {currentToken, learnRecords, listRoots} from '#lib/follow/list-items.js'
import {nameFromKey} from '#lib/platform/state-file.js'
import type {FollowStart} from './flags.js'

/** Opens the checkpoint of a follower, and begins it at the first start. */

/** Where the progress is recorded. */
export interface CheckpointPlace {
  readonly file: string | undefined
  readonly isResumed: boolean
}

/** Opens it; one that lasts as long as the command without `--resume` and `--checkpoint`. */
export async function openFollowCheckpoint(
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
 * Begins a new checkpoint: takes the page token, then resolves and lists the followed items. Throws like
 * the resolver, and `UsageError` for paths in different drives.
 */
export async function beginCheckpoint(
  context: Context,
  checkpoint: FollowCheckpoint,
  {
    words,
    start,
    known,
  }: {readonly words: readonly string[]; readonly start: FollowStart; readonly known: KnownStates},
): Promise<void> {
  const client = await context.client()
  const beginning = await beginningOf(context, words, start)
  const {roots, driveId} = beginning
  const token = tokenOf(start) ?? (await currentToken(client, driveId))
  if (roots.length > 0) {
    const records = await listRoots(client, {roots, driveId}, context.signal)
    learnRecords(records, known, (id, state) => checkpoint.learn(id, state))
  }
  checkpoint.begin(beginning)
  await checkpoint.advance({token}, [])
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
  const drives = new Set(found.map(({driveId}) => driveId))
  if (drives.size > 1) {
    throw new UsageError(
      'Cannot follow several drives at once: each has its own list of changes.',
      'Run one `drv follow` for each drive.',
    )
  }
  const [driveId] = drives
  return {
    since: from ?? context.now(),
    ...(from !== undefined && {from}),
    roots: found.map(({entry}, index) => ({
      id: entry.id,
      path: words[index]!,
      isFolder: entry.kind === 'folder',
    })),
    ...(driveId !== undefined && {driveId}),
  }
}
