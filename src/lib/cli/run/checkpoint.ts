import {hash} from 'node:crypto'
import {open} from 'node:fs/promises'
import type {OperationId} from '#lib/api/operations.js'
import {textOf} from '#lib/api/validate.js'
import {unreadable, unwritable} from '#lib/cli/explain/unreadable.js'
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

/** What is done of a command line, in a file of lines of JSON, so that the same line does only the rest. */
export interface Checkpoint {
  /** What names one thing of the line: the same thing given again has another name. */
  nameOf(given: Parsed): string
  isDone(name: string): boolean
  /** What an earlier run noted of a thing before it was sent: the ID reserved for it, or ''. */
  reserved(name: string): string | undefined
  /** Notes IDs before they are sent. */
  reserve(ids: ReadonlyArray<readonly [name: string, id: string]>): Promise<void>
  done(name: string): Promise<void>
  close(): Promise<void>
}

/** What the lines of a checkpoint are about: noting something else in it would be a mistake. */
export interface CheckpointOf {
  readonly operation: string
  /** The address of the service. */
  readonly service: string
}

/** Flags that say how a line is carried out, not what it does. */
const MANNER = new Set([
  ...Object.keys(GLOBAL_FLAGS),
  ...Object.keys(manyFlags),
  'yes',
  'progress',
  'limit-rate',
])

/**
 * Opens a checkpoint, or begins one, readable by the owner alone. Throws `UsageError` for a file that
 * is none, is one of something else, is in use, or cannot be read or written, and `CommandError`
 * where the disk is full, as do `reserve` and `done`.
 */
export async function openCheckpoint(path: string, about: CheckpointOf): Promise<Checkpoint> {
  const lock = `${path}.lock`
  const release = await tryLock(lock).catch((error: unknown) => {
    throw unwritable(lock, error)
  })
  if (!release)
    throw new UsageError(`${path} is in use by another drv.`, 'Wait until it has ended.')
  try {
    const text = readText(path)
    const {dones, ids} = text === '' ? nothing() : notesIn(text, path, about)
    const head = `${JSON.stringify({checkpoint: about})}\n`
    // A line that was cut short by a kill ends here.
    const start = text === '' ? head : text.endsWith('\n') ? '' : '\n'
    const file = await openForAppending(path, start)
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

/** Opens a file and appends `start`. Throws what is told of a file that cannot be written. */
async function openForAppending(path: string, start: string) {
  const explained = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw unwritable(path, error)
    })
  const handle = await explained(open(path, 'a', 0o600))
  const append = (text: string) => explained(handle.appendFile(text))
  const close = () => explained(handle.close())
  try {
    await append(start)
  } catch (error) {
    await handle.close()
    throw error
  }
  return {append, close}
}

const nothing = () => ({dones: new Set<string>(), ids: new Map<string, string>()})

function readText(path: string): string {
  try {
    return readRegularFile(path)?.text ?? ''
  } catch (error) {
    throw unreadable(path, error)
  }
}

function notesIn(text: string, path: string, {operation, service}: CheckpointOf) {
  const [first, ...notes] = text.split('\n').map(readLine)
  const about = first?.checkpoint
  if (!isObject(about)) {
    throw new UsageError(`${path} is no checkpoint of drv.`, 'Name a file that is not there yet.')
  }
  if (about.operation !== operation || about.service !== service) {
    throw new UsageError(
      `${path} is the checkpoint of ${String(about.operation)} at ${String(about.service)}.`,
      'Name another file for this.',
    )
  }
  const {dones, ids} = nothing()
  for (const note of notes) {
    if (typeof note?.done === 'string') dones.add(note.done)
    if (typeof note?.for === 'string' && typeof note.id === 'string') ids.set(note.for, note.id)
  }
  return {dones, ids}
}

/** `undefined` for what is no record, such as a line that was cut short. */
function readLine(line: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(line)
  return isObject(value) ? value : undefined
}

/** What a command line asks for, in short, whatever the order of its flags. */
function hashOf({args, flags, document = {}}: Parsed): string {
  const asked = Object.entries(flags).filter(([name]) => !MANNER.has(name))
  const text = JSON.stringify([sorted(args), sorted(Object.fromEntries(asked)), sorted(document)])
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

/**
 * What tells an earlier run's work from one's own, so that nothing is done twice; and what a refusal
 * may mean.
 */

/** What is noted of a thing before it is sent: the ID it gets, '' where it needs none. */
interface Mark {
  readonly id: string
  /** An earlier run noted it, and may have sent the thing. */
  readonly isOld: boolean
}

/**
 * The same with an ID reserved for each file that is to be made without content: one request for a
 * thousand, or the ID of an earlier run, which may have made it. What an earlier run was about to take
 * away, and is not there, is done.
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

/** Whether a name led to nothing. */
function isGone(error: unknown): boolean {
  return error instanceof CommandError && error.exit === 'notFound'
}

function withId(call: BatchCall, id: string): BatchCall {
  const {input} = call
  if (MAKING.has(call.id)) return {...call, input: {...input, body: {...input.body, id}}}
  if (call.id !== 'drives.insert') return call
  return {...call, input: {...input, params: {...input.params, requestId: id}}}
}

/** Operations that make a file, and take an ID for it. */
const MAKING: ReadonlySet<OperationId> = new Set<OperationId>(['files.insert', 'files.copy'])

/**
 * What is noted of a thing that gets no file's ID: drives have one of the request, and what is taken
 * away is found no more.
 */
function ownMark(client: Client, step: Step): string | undefined {
  if (!('call' in step)) return undefined
  const {id, input} = step.call
  if (id === 'drives.insert') return textOf(input.params.requestId)
  return id === 'files.trash' || client.operation(id).httpMethod === 'DELETE' ? '' : undefined
}

/** What kind of ID a thing gets; `undefined` where none is reserved for it. */
function kindOf(step: Step): IdKind | undefined {
  if (!('call' in step) || !MAKING.has(step.call.id)) return undefined
  const {input} = step.call
  return input.body?.id === undefined ? idKindOf(input) : undefined
}
