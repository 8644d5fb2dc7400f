import {closeSync, openSync, writeFileSync} from 'node:fs'
import {tryLock} from '#lib/platform/lock.js'
import {readRegularFile} from '#lib/platform/open-file.js'
import {reasonOf} from '#lib/platform/system-errors.js'
import {isObject, parseJson} from '#lib/platform/values.js'
import {writeWhole} from '#lib/platform/write-file.js'
import {
  type Beginning,
  type CheckpointContent,
  checkpointOf,
  type FollowCheckpoint,
  type FollowPosition,
  listIn,
  listsOf,
} from './checkpoint.js'
import type {ItemState} from './known.js'
import type {KnownStates} from './known-states.js'

/**
 * Checkpoints in files of JSON lines with mode 0600. A file grows with each change, and is rewritten when most of its
 * lines are outdated. A line that was cut short is ignored.
 */

/** What a checkpoint belongs to. It cannot be used for anything else. */
export interface CheckpointSubject {
  /** Identifies the service and the account. */
  readonly service: string
  /** The followed files and folders as typed. */
  readonly paths: readonly string[]
}

/** A file is not a checkpoint of this follower, or cannot be written. The message is a sentence. */
export class CheckpointError extends Error {
  constructor(
    message: string,
    readonly hint: string,
  ) {
    super(message)
    this.name = 'CheckpointError'
  }
}

/** Number of outdated lines from which a file is rewritten, beyond the number of states. */
const OUTDATED = 2000

/**
 * Opens or creates a checkpoint and fills `known`. Throws `CheckpointError` if the file belongs to
 * something else or is in use, and system errors.
 */
export async function openCheckpointFile(
  path: string,
  subject: CheckpointSubject,
  known: KnownStates,
): Promise<FollowCheckpoint> {
  const release = await tryLock(`${path}.lock`)
  if (!release) {
    throw new CheckpointError(
      `${path} is in use by another drv process.`,
      'Wait for it to finish, or pass another --checkpoint.',
    )
  }
  let file: number | undefined
  try {
    const text = readRegularFile(path)?.text ?? ''
    const content = readContent(text, path, subject, known)
    let waiting = ''
    let count = 0
    let rewriting: Promise<void> | undefined
    await rewrite()

    /** Writes the file anew, without outdated lines. */
    async function rewrite(): Promise<void> {
      if (file !== undefined) closeSync(file)
      file = undefined
      count = 0
      await writeWhole(path, counted(allLines(content, subject, known)), {sync: true})
      file = openSync(path, 'a', 0o600)
      flush()
    }

    function* counted(lines: Iterable<string>): Generator<string> {
      for (const line of lines) {
        count += 1
        yield line
      }
    }

    /** Writes at once and in order, so that a killed process loses nothing that it recorded. */
    function flush(): void {
      if (file === undefined || waiting === '') return
      const lines = waiting
      waiting = ''
      try {
        // Unlike `writeSync`, it writes all of it or throws.
        writeFileSync(file, lines)
      } catch (error) {
        throw new CheckpointError(
          `Cannot write ${path}: ${reasonOf(error)}.`,
          'Check the path, its permissions and the free space, then run the same command again.',
        )
      }
    }

    return checkpointOf(content, {
      append(record, isFlushed = true) {
        count += 1
        waiting += jsonLine(record)
        if (isFlushed) flush()
      },
      flush,
      async compact() {
        if (count <= 2 * known.size + OUTDATED) return
        await (rewriting ??= rewrite().finally(() => (rewriting = undefined)))
      },
      async close() {
        flush()
        if (file !== undefined) closeSync(file)
        file = undefined
        await release()
      },
    })
  } catch (error) {
    if (file !== undefined) closeSync(file)
    await release()
    throw error
  }
}

/** The lines of a checkpoint without outdated ones. */
function* allLines(
  {beginning, lists}: CheckpointContent,
  subject: CheckpointSubject,
  known: KnownStates,
): Generator<string> {
  yield jsonLine({follow: subject})
  if (beginning) yield jsonLine({beginning})
  for (const [drive, {position, done}] of lists) {
    if (position) yield jsonLine({drive, position, later: [...done]})
  }
  for (const id of known.ids()) yield jsonLine({id, state: known.get(id)})
}

function readContent(
  text: string,
  path: string,
  subject: CheckpointSubject,
  known: KnownStates,
): CheckpointContent {
  const content: CheckpointContent = {lists: new Map()}
  if (text === '') return content
  for (const [index, line] of text.split('\n').entries()) {
    const record = parseJson(line)
    if (index === 0) checkSubject(record, path, subject)
    if (isObject(record)) readRecord(record, content, known)
  }
  if (isBegun(content)) return content
  for (const id of [...known.ids()]) known.delete(id)
  return {lists: new Map()}
}

/** Whether the beginning was written to its end. */
function isBegun({beginning, lists}: CheckpointContent): boolean {
  return beginning !== undefined && listsOf(beginning).every(list => lists.get(list)?.position)
}

function readRecord(
  record: Record<string, unknown>,
  content: CheckpointContent,
  known: KnownStates,
): void {
  const {beginning, drive, position, later, done, id, state} = record
  const list = listIn(content, typeof drive === 'string' ? drive : undefined)
  if (isObject(beginning)) content.beginning = beginning as unknown as Beginning
  if (isObject(position)) {
    list.position = position as unknown as FollowPosition
    list.done.clear()
    if (Array.isArray(later)) for (const changeId of later) list.done.add(String(changeId))
  }
  if (typeof done === 'string') list.done.add(done)
  if (typeof id !== 'string') return
  if (isObject(state)) known.set(id, state as unknown as ItemState)
  else known.delete(id)
}

function checkSubject(record: unknown, path: string, subject: CheckpointSubject): void {
  const found = isObject(record) ? record.follow : undefined
  if (!isObject(found)) {
    throw new CheckpointError(
      `${path} is not a checkpoint of \`drv follow\`.`,
      'Pass a file that does not exist yet.',
    )
  }
  if (JSON.stringify(found) === JSON.stringify(subject)) return
  const {service, paths} = found
  const what = Array.isArray(paths) && paths.length > 0 ? paths.map(String).join(' ') : 'all files'
  throw new CheckpointError(
    `Cannot use ${path}: it is a checkpoint for ${what} at ${String(service)}.`,
    'Pass another file.',
  )
}

function jsonLine(record: object): string {
  return `${JSON.stringify(record)}\n`
}
