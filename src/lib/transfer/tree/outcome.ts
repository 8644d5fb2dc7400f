import {NetworkError, refusesToken, ServiceError} from '#lib/client/errors.js'
import {SetupError} from '#lib/platform/setup-error.js'
import type {LeftOut} from './entries.js'

/** What a run has done, and what ends it early. */

export interface ItemProblem {
  readonly path: string
  /** What went wrong, or why it was left alone. */
  readonly reason: string
}

/** What became of the steps. Counts are of files but for `folders`. */
export interface Tally {
  readonly folders: number
  /** New on the other side. */
  readonly created: number
  /** Other content than before. */
  readonly replaced: number
  /** The same already. */
  readonly unchanged: number
  /** Put into the trash of the service, or aside on this machine. */
  readonly removed: number
  /** Bytes of content that were moved. */
  readonly bytes: number
  /** By rules; what is in folders that were left out does not count. */
  readonly leftOut: LeftOut
  readonly skipped: readonly ItemProblem[]
  readonly failed: readonly ItemProblem[]
}

/** A tally that is being written. */
export interface Ledger {
  count(what: 'folders' | 'created' | 'replaced' | 'unchanged' | 'removed', bytes?: number): void
  leaveOut(things: LeftOut): void
  skip(path: string, reason: string): void
  fail(path: string, reason: string): void
  tally(): Tally
}

export function createLedger(): Ledger {
  const counts = {folders: 0, created: 0, replaced: 0, unchanged: 0, removed: 0, bytes: 0}
  let leftOut: LeftOut = {folders: 0, files: 0}
  const skipped: ItemProblem[] = []
  const failed: ItemProblem[] = []
  return {
    count(what, bytes = 0) {
      counts[what] += 1
      counts.bytes += bytes
    },
    leaveOut: things => void (leftOut = things),
    skip: (path, reason) => void skipped.push({path, reason}),
    fail: (path, reason) => void failed.push({path, reason}),
    tally: () => ({...counts, leftOut, skipped: [...skipped], failed: [...failed]}),
  }
}

/** System errors after which every other file would fail too: a disk, or a limit on open files. */
const DISK: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE'])
/** A service that can keep nothing. */
const FULL = 507
/** Limits that hold for every other file too. */
const LIMITS: ReadonlySet<string> = new Set(['storageQuotaExceeded', 'dailyLimitExceeded'])

/**
 * Whether an error ends the whole run: the token was refused or its owner is locked out, the disk, the account or the service
 * is full. Any other concerns one item alone.
 */
export function endsAll(error: unknown): boolean {
  if (error instanceof SetupError || refusesToken(error)) return true
  if (error instanceof ServiceError) {
    return error.status === FULL || LIMITS.has(error.reason)
  }
  const {code, cause} = error as NodeJS.ErrnoException
  return DISK.has(code ?? '') || DISK.has((cause as NodeJS.ErrnoException | undefined)?.code ?? '')
}

/** So many items in a row that nobody answered for mean that nobody is there. */
const SILENT = 3

/**
 * Judges the failures of a run as they come: says of each whether it ends all. A service that does
 * not answer for several items in a row is not there any more.
 */
export function createJudge() {
  let silent = 0
  return {
    succeeded(): void {
      silent = 0
    },
    /** Whether the run has to end because of this error. */
    failed(error: unknown): boolean {
      silent = error instanceof NetworkError ? silent + 1 : 0
      return endsAll(error) || silent >= SILENT
    },
  }
}
