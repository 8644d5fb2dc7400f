import {constants, lstatSync, type Stats} from 'node:fs'
import {type FileHandle, open} from 'node:fs/promises'
import {join} from 'node:path'
import {quoteText} from '#lib/api/validate.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {reasonOf} from '#lib/platform/system-errors.js'
import type {PlanEnd, PlanHead, PlanStep} from './format.js'
import {createKeySet} from './key-set.js'
import {LineError, objectIn, readLines} from './read-lines.js'
import {isEnd, readHead, readStep} from './read-step.js'
import {spool} from './spool.js'

/** A plan file that is open, so that every pass reads the same file. */
export interface PlanFile {
  /** Its name in messages. */
  readonly name: string
  readonly head: PlanHead
  /** Reads all steps from the first, and checks them. Throws `UsageError` that names the line. */
  steps(): AsyncGenerator<PlanStep>
  close(): Promise<void>
}

/**
 * Opens a plan file, `-` for standard input, and checks its first line. Throws `UsageError` if it is not a plan
 * of this version, or if another user could have written it.
 */
export async function openPlan(
  path: string,
  stdin: AsyncIterable<Uint8Array | string>,
): Promise<PlanFile> {
  const name = path === '-' ? STDIN : path
  const handle = path === '-' ? await spool(stdin) : await openOwn(path)
  try {
    const known = await handle.stat()
    const head = await headOf(name, handle)
    return {
      name,
      head,
      steps: () => stepsIn(name, handle, {head, known}),
      close: () => handle.close(),
    }
  } catch (error) {
    await handle.close()
    throw error
  }
}

const AGAIN = 'Make a new plan with --plan.'

const STDIN = 'Standard input'
const inSentence = (name: string) => (name === STDIN ? 'standard input' : name)

function invalid(name: string, reason: string): UsageError {
  return new UsageError(`${name} ${reason}.`, AGAIN)
}

/** Opens a regular file that only this user, or the administrator, could have written. */
async function openOwn(path: string): Promise<FileHandle> {
  const {O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0} = constants
  let handle: FileHandle
  try {
    // Without O_NOFOLLOW, as on Windows.
    if (lstatSync(path).isSymbolicLink()) throw invalid(path, 'is a symbolic link, not a plan')
    handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`Cannot read the plan ${path}: ${reasonOf(error)}.`, 'Check the path.')
  }
  const reason = ownerProblem(await handle.stat(), process.geteuid?.())
  if (reason === undefined) return handle
  await handle.close()
  throw new UsageError(
    `${path} ${reason}.`,
    'Review it with `drv plan show - < FILE`, then make a copy that only you can write.',
  )
}

/** Why a plan file cannot be trusted; `owner` is the current user, `undefined` on Windows. Pure. */
export function ownerProblem(
  stats: Pick<Stats, 'uid' | 'mode' | 'isFile'>,
  owner: number | undefined,
): string | undefined {
  if (!stats.isFile()) return 'is not a regular file'
  if (owner === undefined) return undefined
  if (stats.uid !== owner && stats.uid !== 0) return 'belongs to another user'
  return (stats.mode & 0o022) === 0 ? undefined : 'can be written by other users'
}

/** Bytes to read at once. */
const CHUNK = 256 * 1024

/** The content of a file from its start; the file stays open. */
async function* chunksOf(handle: FileHandle): AsyncGenerator<Buffer> {
  for (let at = 0; ;) {
    const {bytesRead, buffer} = await handle.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/** The objects of all lines with their numbers. Errors name the line. */
async function* objectsIn(name: string, handle: FileHandle) {
  let at = 1
  const fail = (error: unknown): never => {
    if (error instanceof LineError)
      throw invalid(`Line ${at} of ${inSentence(name)}`, error.message)
    throw error
  }
  try {
    for await (const {number, text} of readLines(chunksOf(handle), next => void (at = next))) {
      yield {number, value: await objectIn(text), fail}
    }
  } catch (error) {
    fail(error)
  }
}

async function headOf(name: string, handle: FileHandle): Promise<PlanHead> {
  for await (const {value, fail} of objectsIn(name, handle)) {
    try {
      return readHead(value)
    } catch (error) {
      fail(error)
    }
  }
  throw invalid(name, 'is empty')
}

async function* stepsIn(
  name: string,
  handle: FileHandle,
  {head, known}: {readonly head: PlanHead; readonly known: Stats},
): AsyncGenerator<PlanStep> {
  const {mtimeMs, size} = await handle.stat()
  if (mtimeMs !== known.mtimeMs || size !== known.size) {
    throw invalid(name, 'changed while drv read it')
  }
  const keys = createKeySet()
  const linkIn = createLinkCheck(head.root)
  let count = 0
  let end: PlanEnd | undefined
  for await (const {number, value, fail} of objectsIn(name, handle)) {
    if (number === 1) continue
    let step: PlanStep | undefined
    try {
      if (end) throw new LineError('comes after the end of the plan')
      const line = readStep(value, head.root)
      if (isEnd(line)) {
        end = line
        continue
      }
      step = line
      checkKeys(step)
      const link = linkIn(step)
      if (link !== undefined)
        throw new LineError(`has a local path through the symbolic link ${link}`)
    } catch (error) {
      fail(error)
    }
    count += 1
    yield step!
  }
  if (!end) throw invalid(name, 'is incomplete: its last line is missing')
  if (end.end.steps !== count) {
    throw invalid(name, `has the wrong number of steps: expected ${end.end.steps}, found ${count}`)
  }

  function checkKeys({key, after = []}: PlanStep): void {
    const unknown = after.find(one => !keys.has(Number(one)))
    if (unknown !== undefined) {
      throw new LineError(`depends on step ${quoteText(unknown)}, which does not come before it`)
    }
    if (!keys.add(Number(key)))
      throw new LineError(`has the same key as another step: ${quoteText(key)}`)
  }
}

/** Maximum number of folders to remember. */
const MOST_FOLDERS = 10_000

/** Finds the first symbolic link on the way to the local path of a step; `undefined` without one. */
function createLinkCheck(root: string | null) {
  const folders = new Set<string>()
  return ({local, output, here}: PlanStep): string | undefined => {
    const path = (local ?? output)?.path
    if (path === undefined || root === null) return undefined
    const names = path.split('/')
    // An entry that is moved away may be a link itself.
    if (here === 'remove') names.pop()
    let at = root
    for (const [index, name] of names.entries()) {
      at = join(at, name)
      if (folders.has(at)) continue
      const found = entryAt(at)
      if (!found) return undefined
      if (found.isSymbolicLink()) return at
      if (index === names.length - 1 || !found.isDirectory()) return undefined
      if (folders.size >= MOST_FOLDERS) folders.clear()
      folders.add(at)
    }
    return undefined
  }
}

/** The stats of a path; `undefined` if it does not exist. Throws `LineError` for other errors. */
function entryAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, {throwIfNoEntry: false})
  } catch (error) {
    throw new LineError(`has an invalid local path: ${reasonOf(error)}`)
  }
}
