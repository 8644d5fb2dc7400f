import {closeSync, openSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {type Result, runDrv, type RunOptions} from './drv.js'

/** Runs drv with `crash-point.cjs`, which numbers its points and fails at one of them. */

const PRELOAD = fileURLToPath(new URL('crash-point.cjs', import.meta.url))

/** What happens at a point; `crash-point.cjs` describes each. */
export type Failure = Crash | DiskError
export type Crash = 'kill' | 'half' | 'lost' | 'zeroed' | 'undone'
export type DiskError = 'ENOSPC' | 'EROFS' | 'EIO' | 'EMFILE'

/** A change of the disk, a request, or the arrival of its response. */
export interface Point {
  readonly at: number
  readonly kind: string
  /** The real path, or the method and path of a request. */
  readonly path: string
  /** Number of bytes of a write. */
  readonly bytes?: number
  /** Number of files with content that was not flushed before. */
  readonly contents: number
  /** Number of changes of directories that were not flushed before. */
  readonly entries: number
}

interface Failing {
  /** Folders whose files count: those of drv first. */
  readonly roots: readonly string[]
  /** A folder in them whose files do not count. */
  readonly except?: string
  /** A folder for the list of points. */
  readonly folder: string
  /** An empty folder on the same file system. */
  readonly spare: string
  /** A variable that the process has in which points count, if that is not the first one. */
  readonly process?: string
  readonly at?: number | string
  readonly how?: Failure
}

/** Runs drv to its end or to the point `at` (its number, or its kind and path); returns the points that it reached too. */
export async function runToPoint(
  args: readonly string[],
  {folder, ...options}: Failing,
  {env, ...run}: RunOptions,
): Promise<Result & {readonly points: readonly Point[]}> {
  const list = join(folder, 'points.ndjson')
  closeSync(openSync(list, 'w'))
  const result = await runDrv(args, {
    ...run,
    env: {
      ...env,
      NODE_OPTIONS: `--require=${PRELOAD}`,
      CRASH_POINT: JSON.stringify({...options, list}),
    },
  })
  const lines = readFileSync(list, 'utf8').split('\n').filter(Boolean)
  return {...result, points: lines.map(line => JSON.parse(line) as Point)}
}

/**
 * The ways to fail at a point, crashes first. `isNative` means that drv writes a database too, whose flushes are not
 * counted, so that no state after a power failure is known.
 */
export function failuresAt(
  {kind, path, bytes = 0, contents, entries}: Point,
  isNative = false,
): Failure[] {
  const isRemote = kind === 'request' || kind === 'response'
  // Reading changes nothing: its states are those of the next point.
  if (isRemote && path.startsWith('GET ')) return []
  const isFlushed = isNative || contents === 0
  const makes = ['create', 'write', 'link', 'mkdir'].includes(kind)
  return [
    'kill',
    ...(bytes > 1 ? (['half'] as const) : []),
    ...(isFlushed ? [] : (['lost', 'zeroed'] as const)),
    ...(isFlushed && (isNative || entries === 0) ? [] : (['undone'] as const)),
    ...(makes || kind === 'flush' ? (['ENOSPC'] as const) : []),
    ...(makes || ['rename', 'unlink'].includes(kind) ? (['EROFS'] as const) : []),
    ...(['write', 'flush', 'rename'].includes(kind) ? (['EIO'] as const) : []),
    ...(kind === 'create' ? (['EMFILE'] as const) : []),
  ]
}

/** Whether the power fails. */
export const isPowerFailure = (failure: Failure) => ['lost', 'zeroed', 'undone'].includes(failure)

export const isCrash = (failure: Failure): failure is Crash => !failure.startsWith('E')
