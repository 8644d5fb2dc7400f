import {hash} from 'node:crypto'
import {open} from 'node:fs/promises'
import {createsFile} from '#lib/api/operations.js'
import {nonEmptyText} from '#lib/api/validate.js'
import {unreadableFileError, unwritable} from '#lib/cli/explain/unreadable.js'
import type {Parsed} from '#lib/cli/input/call-input.js'
import {manyFlags} from '#lib/cli/input/items/several.js'
import {GLOBAL_FLAGS} from '#lib/cli/output/global-flags.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import type {BatchCall, Client} from '#lib/client/client.js'
import {tryLock} from '#lib/platform/lock.js'
import {readRegularFile} from '#lib/platform/open-file.js'
import {groupBy, isObject, parseJson} from '#lib/platform/values.js'
import {type IdKind, idKindOf, reservedIds} from '#lib/transfer/ids.js'
import type {Step} from './plan.js'

/** The completed steps of a command line, as lines of JSON in a file, so that a rerun resumes. */
export interface Checkpoint {
  /** The key of an item; an item given twice has two keys. */
  nameOf(given: Parsed): string
  isDone(name: string): boolean
  /** The ID that an earlier run recorded before sending the item, or '' if it needs none. */
  reserved(name: string): string | undefined
  /** Records IDs before they are sent. */
  reserve(ids: ReadonlyArray<readonly [name: string, id: string]>): Promise<void>
  done(name: string): Promise<void>
  close(): Promise<void>
}

/** The operation and service of a checkpoint; it cannot be used for others. */
export interface CheckpointOf {
  readonly operation: string
  /** The address of the service. */
  readonly service: string
}

/** Flags that change how a command runs, not what it does. */
const RUN_FLAGS = new Set([
  ...Object.keys(GLOBAL_FLAGS),
  ...Object.keys(manyFlags),
  'yes',
  'progress',
  'limit-rate',
])

/**
 * Opens or creates a checkpoint that only the owner can read. Throws `UsageError` if the file is not a
 * checkpoint, belongs to another command, is in use, or cannot be read or written. Throws `CommandError`
 * if the disk is full; so do `reserve` and `done`.
 */
export async function openCheckpoint(path: string, about: CheckpointOf): Promise<Checkpoint> {
  const lock = `${path}.lock`
  const release = await tryLock(lock).catch((error: unknown) => {
    throw unwritable(lock, error)
  })
  if (!release)
    throw new UsageError(`${path} is in use by another drv process.`, 'Wait for it to finish.')
  try {
    const head = `${JSON.stringify({checkpoint: about})}\n`
    const text = readText(path)
    const isNew = isBeforeHead(text, head)
    const {dones, ids} = isNew ? emptyNotes() : notesIn(text, path, about)
    // Terminate a line that a killed process left incomplete.
    const start = isNew ? head : text.endsWith('\n') ? '' : '\n'
    const file = await openForAppending(path, start, isNew)
    const seen = new Map<string, number>()
    return {
      nameOf(given) {
        const hash = hashOf(given)
        const count = (seen.get(hash) ?? 0) + 1
        seen.set(hash, count)
        return count === 1 ? hash : `${hash}#${count}`
      },
      isDone: name => dones.has(name),
      reserved: name => ids.get(name),
      async reserve(pairs) {
        const lines = pairs.map(([name, id]) => `${JSON.stringify({for: name, id})}\n`)
        await file.append(lines.join(''))
        // A power failure must not lose IDs that have been sent.
        await file.flush()
      },
      done: name => file.append(`${JSON.stringify({done: name})}\n`),
      async close() {
        await file.close().finally(release)
      },
    }
  } catch (error) {
    await release()
    throw error
  }
}

/**
 * Whether a file has less than its head, or only zeros: the process that created it was killed, or the power failed,
 * before it recorded anything.
 */
function isBeforeHead(text: string, head: string): boolean {
  return (text.length < head.length && head.startsWith(text)) || /^\0*$/.test(text)
}

/** Opens a file, empties a new one, and appends `start`. Throws the errors of `unwritable`. */
async function openForAppending(path: string, start: string, isNew: boolean) {
  const explained = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw unwritable(path, error)
    })
  const handle = await explained(open(path, isNew ? 'w' : 'a', 0o600))
  const append = (text: string) => explained(handle.appendFile(text))
  const flush = () => explained(handle.datasync())
  const close = () => explained(handle.close())
  try {
    await append(start)
    // Otherwise a power failure could lose the head and keep the entries.
    if (isNew) await flush()
  } catch (error) {
    await handle.close()
    throw error
  }
  return {append, flush, close}
}

const emptyNotes = () => ({dones: new Set<string>(), ids: new Map<string, string>()})

function readText(path: string): string {
  try {
    return readRegularFile(path)?.text ?? ''
  } catch (error) {
    throw unreadableFileError(path, error)
  }
}

function notesIn(text: string, path: string, {operation, service}: CheckpointOf) {
  const [first, ...notes] = text.split('\n').map(readLine)
  const about = first?.checkpoint
  if (!isObject(about)) {
    throw new UsageError(`${path} is not a drv checkpoint.`, 'Pass a file that does not exist yet.')
  }
  if (about.operation !== operation || about.service !== service) {
    throw new UsageError(
      `Cannot use ${path}: it is a checkpoint for ${String(about.operation)} at ${String(about.service)}.`,
      'Pass another file.',
    )
  }
  const {dones, ids} = emptyNotes()
  for (const note of notes) {
    if (typeof note?.done === 'string') dones.add(note.done)
    if (typeof note?.for === 'string' && typeof note.id === 'string') ids.set(note.for, note.id)
  }
  return {dones, ids}
}

/** Parses a record; `undefined` for any other line, such as an incomplete one. */
function readLine(line: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(line)
  return isObject(value) ? value : undefined
}

/** A hash of the command line, independent of the order of flags. */
function hashOf({args, flags, document = {}}: Parsed): string {
  const kept = Object.entries(flags).filter(([name]) => !RUN_FLAGS.has(name))
  const text = JSON.stringify([sorted(args), sorted(Object.fromEntries(kept)), sorted(document)])
  return hash('sha256', text, 'base64url').slice(0, 22)
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const pairs = Object.entries(value).filter(([, field]) => field !== undefined)
  return Object.fromEntries(
    pairs.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, field]) => [name, sorted(field)]),
  )
}

/** Distinguishes the work of an earlier run, so that no step is done twice. */

/** The record of an item before it is sent: its reserved ID, or '' if it needs none. */
interface Mark {
  readonly id: string
  /** An earlier run recorded it, and may have sent the item. */
  readonly isOld: boolean
}

/**
 * Reserves an ID for each new file without content (one request per thousand), or reuses the ID of an
 * earlier run, which may have created the file. An item that an earlier run was removing and that no
 * longer exists is done.
 */
export async function withIds(
  client: Client,
  steps: readonly Step[],
  checkpoint: Checkpoint | undefined,
): Promise<Step[]> {
  const marks = new Map<Step, Mark>()
  for (const one of steps) {
    const old = one.key === undefined ? undefined : checkpoint?.reserved(one.key)
    const id = old ?? ownMark(client, one)
    if (id !== undefined) marks.set(one, {id, isOld: old !== undefined})
  }
  const fresh = steps.filter(one => !marks.has(one) && kindOf(one) !== undefined)
  for (const some of groupBy(fresh, one => JSON.stringify(kindOf(one))).values()) {
    const reserved = await reservedIds(client, some.length, kindOf(some[0]!)!)
    for (const [index, one] of some.entries()) {
      const id = reserved?.[index]
      if (id !== undefined) marks.set(one, {id, isOld: false})
    }
  }
  const noted = [...marks].flatMap(([{key}, {id, isOld}]) =>
    key === undefined || isOld ? [] : [[key, id] as const],
  )
  if (noted.length > 0) await checkpoint?.reserve(noted)
  return steps.map(step => {
    const mark = marks.get(step)
    return mark ? marked(step, mark) : step
  })
}

function marked(step: Step, {id, isOld}: Mark): Step {
  if ('error' in step && isOld && isGone(step.error)) {
    const {error: _, ...facts} = step
    return {...facts, isUnchanged: true}
  }
  return 'call' in step ? {...step, call: withId(step.call, id), isDoubtful: isOld} : step
}

/** Whether an item was not found. */
function isGone(error: unknown): boolean {
  return error instanceof CommandError && error.exit === 'notFound'
}

function withId(call: BatchCall, id: string): BatchCall {
  const {input} = call
  if (createsFile(call.id)) return {...call, input: {...input, body: {...input.body, id}}}
  if (call.id !== 'drives.insert') return call
  return {...call, input: {...input, params: {...input.params, requestId: id}}}
}

/** The recorded ID of steps that create no file: the request ID of a shared drive, '' for a removal. */
function ownMark(client: Client, step: Step): string | undefined {
  if (!('call' in step)) return undefined
  const {id, input} = step.call
  if (id === 'drives.insert') return nonEmptyText(input.params.requestId)
  return id === 'files.trash' || client.operation(id).httpMethod === 'DELETE' ? '' : undefined
}

/** The kind of ID to reserve for a step; `undefined` if none. */
function kindOf(step: Step): IdKind | undefined {
  if (!('call' in step) || !createsFile(step.call.id)) return undefined
  const {input} = step.call
  return input.body?.id === undefined ? idKindOf(input) : undefined
}
