import {createReadStream} from 'node:fs'
import {type FileHandle, lstat, open, rename, rm} from 'node:fs/promises'
import {dirname, resolve} from 'node:path'
import type {Writable} from 'node:stream'
import {unwritable} from '#lib/cli/explain/unreadable.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {write} from '#lib/cli/terminal/io.js'
import {isTemporaryFor, removeLeftovers, temporaryFor} from '#lib/platform/write-file.js'

/** The output for the lines of a new plan. */
export interface PlanOutputFile {
  write(text: string): Promise<void>
  /** Writes what is left, and gives the file its name. */
  finish(): Promise<void>
  /** Removes an unfinished file. */
  discard(): Promise<void>
}

/** Bytes to collect before they are written. */
const PIECE = 64 * 1024

/** The beginning of every plan. */
const START = '{"plan":'

/**
 * Writes a plan to a file that only the owner can read; it appears under its name once it is complete. An
 * earlier plan is replaced. Throws `UsageError` for any other existing file, and if the file cannot be written.
 */
export async function createPlanFile(path: string): Promise<PlanOutputFile> {
  await refuseOther(path)
  removeLeftovers(dirname(path))
  const temporary = temporaryFor(path)
  const explained = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw unwritable(path, error)
    })
  let handle: FileHandle | undefined = await explained(open(temporary, 'wx', 0o600))
  let held: string[] = []
  let size = 0
  const flush = async () => {
    const text = held.join('')
    held = []
    size = 0
    await explained(handle!.appendFile(text))
  }
  return {
    async write(text) {
      held.push(text)
      size += text.length
      if (size >= PIECE) await flush()
    },
    async finish() {
      await flush()
      // A power failure must not leave an empty plan in place of an earlier one.
      await explained(handle!.datasync())
      await explained(handle!.close())
      handle = undefined
      await explained(rename(temporary, path))
    },
    async discard() {
      if (!handle) return
      await handle.close().catch(() => undefined)
      handle = undefined
      await rm(temporary, {force: true})
    },
  }
}

/** Writes a plan to standard output. */
export function planStream(stream: Writable): PlanOutputFile {
  return {
    write: text => write(stream, text),
    finish: async () => undefined,
    discard: async () => undefined,
  }
}

/** Throws `UsageError` for an existing file that is not a plan and not empty. */
async function refuseOther(path: string): Promise<void> {
  const facts = await lstat(path).catch(() => undefined)
  if (!facts || (facts.isFile() && facts.size === 0)) return
  const isPlan = facts.isFile() && (await startOf(path)) === START
  if (isPlan) return
  throw new UsageError(
    `Cannot write the plan to ${path}: it exists and is not a plan.`,
    'Pass a file that does not exist yet, or - for standard output.',
  )
}

async function startOf(path: string): Promise<string | undefined> {
  try {
    for await (const chunk of createReadStream(path, {end: START.length - 1, encoding: 'utf8'}))
      return String(chunk)
  } catch {
    return undefined
  }
  return undefined
}

/** Whether a local path is that of a plan, of its checkpoint, or of a plan that is being written. */
export function isOfPlan(plan: string, path: string): boolean {
  const [whole, other] = [resolve(plan), resolve(path)]
  return other === whole || other === `${whole}.done` || isTemporaryFor(whole, other)
}
