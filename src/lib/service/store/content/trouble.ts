import {createHash, hash} from 'node:crypto'
import {createReadStream} from 'node:fs'
import {lstat} from 'node:fs/promises'
import {reasonOf} from '#lib/platform/system-errors.js'
import type {Stored} from './damage.js'

/** How content is not as the database has it. */
export interface Trouble {
  readonly what: 'damaged' | 'missing'
  /** A sentence. */
  readonly problem: string
}

/** Content as a row of the database has it. */
export interface Known extends Stored {
  readonly md5: string
}

const READ_SIZE = 1024 * 1024

/** What is wrong with content whose bytes lie in the database: its row has these. */
export function troubleOfBytes({size, md5}: Known, bytes: Buffer | null): Trouble | undefined {
  if (bytes === null) return {what: 'missing', problem: 'Its row has no bytes.'}
  if (bytes.length !== size) return wrongSize(bytes.length, size)
  return hash('md5', bytes) === md5 ? undefined : wrongSum()
}

/** What is wrong with content that lies in a file, which is read to its end, a piece at a time. */
export async function troubleOfFile(
  {size, md5}: Known,
  path: string,
  signal?: AbortSignal,
): Promise<Trouble | undefined> {
  try {
    const found = await sizeOf(path)
    if (found !== size) return wrongSize(found, size)
    return (await md5Of(path, signal)) === md5 ? undefined : wrongSum()
  } catch (error) {
    signal?.throwIfAborted()
    return unreadable(error)
  }
}

/** What is wrong with a file that has to have so many bytes at least. */
export async function troubleOfPart(path: string, atLeast: number): Promise<Trouble | undefined> {
  try {
    const found = await sizeOf(path)
    return found < atLeast ? wrongSize(found, atLeast) : undefined
  } catch (error) {
    return unreadable(error)
  }
}

async function sizeOf(path: string): Promise<number> {
  const facts = await lstat(path)
  if (!facts.isFile()) throw new Error('it is no ordinary file')
  return facts.size
}

async function md5Of(path: string, signal: AbortSignal | undefined): Promise<string> {
  const sum = createHash('md5')
  const pieces: AsyncIterable<Buffer> = createReadStream(path, {highWaterMark: READ_SIZE, signal})
  for await (const piece of pieces) sum.update(piece)
  return sum.digest('hex')
}

function wrongSize(found: number, size: number): Trouble {
  return {what: 'damaged', problem: `It has ${found} bytes instead of ${size}.`}
}

function wrongSum(): Trouble {
  return {what: 'damaged', problem: 'Its MD5 is another one.'}
}

function unreadable(error: unknown): Trouble {
  if (isGone(error)) return {what: 'missing', problem: 'There is no such file.'}
  return {what: 'damaged', problem: `It cannot be read: ${reasonOf(error)}.`}
}

export function isGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}
