import {hash} from 'node:crypto'
import {open} from 'node:fs/promises'
import {unreadable, unwritable} from '#lib/cli/explain/unreadable.js'
import type {Parsed} from '#lib/cli/input/call-input.js'
import {manyFlags} from '#lib/cli/input/items/several.js'
import {GLOBAL_FLAGS} from '#lib/cli/output/global-flags.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {tryLock} from '#lib/platform/lock.js'
import {readRegularFile} from '#lib/platform/open-file.js'
import {isObject, parseJson} from '#lib/platform/values.js'

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
    const text = textOf(path)
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

function textOf(path: string): string {
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
