import type {Context} from '#lib/cli/context/context.js'
import type {Row} from '#lib/cli/output/format.js'
import type {RowStream} from '#lib/cli/verbs/follow/row-stream.js'
import {
  type FolderWatcher,
  type WatchFolders,
  watchFolders,
} from '#lib/follow/local/watch-folders.js'
import {createWake} from '#lib/follow/wake.js'
import {trimMemory} from '#lib/platform/trim-memory.js'
import type {Follower, RoundProcesses} from './round-process.js'

/** What later comparisons need to know of earlier ones. */
export interface ComparedState {
  readonly identity: string | undefined
  readonly inodes: ReadonlyMap<string, number>
  readonly told: ReadonlySet<string>
  /** Folders to compare again. */
  readonly folders: ReadonlySet<string> | 'all'
  /** When everything was compared, and when it is to be compared again, in milliseconds since 1970. */
  readonly lastFull: number
  readonly nextFull: number
  readonly isRefused: boolean
}

/** What the process of the next rounds of `push --follow` needs to know. */
export interface PushState {
  readonly root: string
  readonly place: {readonly id: string; readonly driveId?: string}
  readonly compared: ComparedState
}

/** Milliseconds after which memory is released, and how often. */
const IDLE = 10_000
const TRIMS = 3

/** Watches a folder, and starts a process for each series of rounds, until the signal aborts. */
export async function waitForReports(
  {now, sleep, onEnd}: Context,
  processes: RoundProcesses,
  {rows, signal}: {readonly rows: Pick<RowStream, 'print'>; readonly signal: AbortSignal},
): Promise<never> {
  const wake = createWake()
  signal.addEventListener('abort', () => wake.wake(), {once: true})
  let watcher: FolderWatcher | undefined
  let isReported = false
  let refusal: Pick<NodeJS.ErrnoException, 'code' | 'message' | 'path'> | undefined
  onEnd(() => watcher?.close())
  const answers = {
    print: (row: Row) => rows.print(row),
    async watch({root, folders}: {root: string; folders: readonly string[]}) {
      watcher = await watchFolders({
        root,
        folders,
        onReport() {
          isReported = true
          wake.wake()
          processes.send('report')
        },
        onRefused({code, message, path}) {
          refusal = {code, message, path}
        },
      })
    },
    take() {
      isReported = false
      if (refusal) processes.send('refused', refusal)
      return watcher!.take()
    },
    add: (folders: readonly string[]) => watcher!.add(folders),
  }
  let state: PushState | undefined
  for (;;) {
    state = (await processes.run(state, answers)) as PushState
    const left = () => Math.max(0, state!.compared.nextFull - now())
    for (let times = 0; !isReported && left() > 0; times++) {
      if (times < TRIMS) trimMemory()
      await wake.wait(times < TRIMS ? Math.min(left(), IDLE) : left(), sleep)
      signal.throwIfAborted()
    }
  }
}

/** Watches through the follower, in the process of its rounds. */
export function watchThrough(follower: Follower, isWatching: boolean): WatchFolders {
  return async ({root, folders, onReport, onRefused}) => {
    follower.on('report', onReport)
    follower.on('refused', refusal => onRefused(Object.assign(new Error(), refusal)))
    if (!isWatching) await follower.ask('watch', {root, folders})
    return {
      take: () => follower.ask('take') as ReturnType<FolderWatcher['take']>,
      add: async some => void (await follower.ask('add', some)),
      close: () => undefined,
    }
  }
}
