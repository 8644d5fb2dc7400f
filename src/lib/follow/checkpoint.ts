import {closeSync, openSync, writeSync} from 'node:fs'
import {tryLock} from '#lib/platform/lock.js'
import {readRegularFile} from '#lib/platform/open-file.js'
import {reasonOf} from '#lib/platform/system-errors.js'
import {isObject, parseJson} from '#lib/platform/values.js'
import {writeWhole} from '#lib/platform/write-file.js'
import type {ItemState} from './known.js'
import type {KnownStates} from './known-states.js'

/**
 * Checkpoints of followers: the page token, the changes after it that were handed over, and the known
 * states of items. A file of JSON lines with mode 0600 that grows with each change and is rewritten
 * when most of its lines are outdated. A line that was cut short is ignored.
 */

/** What a checkpoint belongs to. It cannot be used for anything else. */
export interface CheckpointSubject {
  /** Identifies the service and the account. */
  readonly service: string
  /** The followed files and folders as typed. */
  readonly paths: readonly string[]
}

/** A followed file or folder. */
export interface Root {
  readonly id: string
  readonly path: string
  readonly isFolder: boolean
}

/** The position of a follower. */
export interface FollowPosition {
  readonly token: string
  /** The time of the latest change before it, in Unix ms by the service's clock. */
  readonly latest?: number
}

/** What a follower found at its first start. */
export interface Beginning {
  /** When it started, in Unix ms. */
  readonly since: number
  /** Earlier changes are left out, in Unix ms. */
  readonly from?: number
  readonly roots: readonly Root[]
  readonly driveId?: string
}

export interface FollowCheckpoint {
  /** `undefined` in a new checkpoint. */
  readonly beginning: Beginning | undefined
  readonly position: FollowPosition | undefined
  /** Whether a change was handed over. */
  isDone(changeId: string): boolean
  begin(beginning: Beginning): void
  /** Records a state that was looked up. */
  learn(id: string, state: ItemState): void
  /** Records that a change was handed over, with the state after it; without one if nothing is to be known. */
  handedOver(changeId: string, id: string, state: ItemState | undefined): void
  /** Records that all changes before a token were handed over; `later` are changes after it. */
  advance(position: FollowPosition, later: readonly string[]): Promise<void>
  close(): Promise<void>
}

/** A file is no checkpoint for this follower, or cannot be written. The message is a sentence. */
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

interface Content {
  beginning?: Beginning
  position?: FollowPosition
  readonly done: Set<string>
  lines: number
}

/** A checkpoint that only lasts as long as the command. */
export function memoryCheckpoint(): FollowCheckpoint {
  return checkpointOf(
    {done: new Set(), lines: 0},
    {append() {}, async compact() {}, async close() {}},
  )
}

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
      'Wait until it has ended, or pass another --checkpoint.',
    )
  }
  let file: number | undefined
  try {
    const text = readRegularFile(path)?.text ?? ''
    const content = readContent(text, path, subject, known)
    let waiting = ''
    const head = () => jsonLine({follow: subject})
    await rewrite()

    /** Writes the file anew, without outdated lines. */
    async function rewrite(): Promise<void> {
      const {beginning, position, done} = content
      const lines = [head()]
      if (beginning) lines.push(jsonLine({beginning}))
      if (position) lines.push(jsonLine({position, later: [...done]}))
      for (const id of known.ids()) lines.push(jsonLine({id, state: known.get(id)}))
      if (file !== undefined) closeSync(file)
      file = undefined
      await writeWhole(path, lines.join(''), {sync: true})
      file = openSync(path, 'a', 0o600)
      content.lines = lines.length
      flush()
    }

    /** Writes at once and in order, so that a killed process loses nothing that it recorded. */
    function flush(): void {
      if (file === undefined || waiting === '') return
      const lines = waiting
      waiting = ''
      try {
        writeSync(file, lines)
      } catch (error) {
        throw new CheckpointError(
          `Cannot write ${path}: ${reasonOf(error)}.`,
          'Check the path, its permissions and the free space, then run the same command again.',
        )
      }
    }

    return checkpointOf(content, {
      append(record, isFlushed = true) {
        content.lines += 1
        waiting += jsonLine(record)
        if (isFlushed) flush()
      },
      async compact() {
        if (content.lines > 2 * known.size + OUTDATED) await rewrite()
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

interface Log {
  append(record: object, isFlushed?: boolean): void
  compact(): Promise<void>
  close(): Promise<void>
}

function checkpointOf(content: Content, log: Log): FollowCheckpoint {
  return {
    get beginning() {
      return content.beginning
    },
    get position() {
      return content.position
    },
    isDone: changeId => content.done.has(changeId),
    begin(beginning) {
      content.beginning = beginning
      log.append({beginning})
    },
    learn: (id, state) => log.append({id, state}, false),
    handedOver(changeId, id, state) {
      content.done.add(changeId)
      log.append({done: changeId, id, ...(state && {state})})
    },
    async advance(position, later) {
      const isIdle = content.position?.token === position.token && content.done.size === 0
      content.position = position
      if (isIdle) return
      content.done.clear()
      for (const changeId of later) content.done.add(changeId)
      log.append({position, ...(later.length > 0 && {later})})
      await log.compact()
    },
    close: () => log.close(),
  }
}

function readContent(
  text: string,
  path: string,
  subject: CheckpointSubject,
  known: KnownStates,
): Content {
  const content: Content = {done: new Set(), lines: 0}
  if (text === '') return content
  for (const [index, line] of text.split('\n').entries()) {
    const record = parseJson(line)
    if (index === 0) checkSubject(record, path, subject)
    if (isObject(record)) readRecord(record, content, known)
  }
  return content
}

function readRecord(record: Record<string, unknown>, content: Content, known: KnownStates): void {
  const {beginning, position, later, done, id, state} = record
  if (isObject(beginning)) content.beginning = beginning as unknown as Beginning
  if (isObject(position)) {
    content.position = position as unknown as FollowPosition
    content.done.clear()
    if (Array.isArray(later)) for (const changeId of later) content.done.add(String(changeId))
  }
  if (typeof done === 'string') content.done.add(done)
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
    `${path} is a checkpoint for ${what} at ${String(service)}.`,
    'Pass another file.',
  )
}

function jsonLine(record: object): string {
  return `${JSON.stringify(record)}\n`
}
