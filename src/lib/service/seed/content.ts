import {createCipheriv, createHash} from 'node:crypto'
import {createReadStream} from 'node:fs'
import {lstat, readdir, realpath} from 'node:fs/promises'
import {join, relative, resolve, sep} from 'node:path'
import {Readable} from 'node:stream'
import {reasonOf} from '#lib/platform/system-errors.js'
import type {Blob} from '#lib/service/store/content/content.js'
import type {Store} from '#lib/service/store/index.js'
import type {SeedContent} from './seed.js'
import {type SeedPath, SeedProblem} from './validate.js'

/** The fields that give content. */
const CONTENT_FIELDS = ['text', 'base64', 'path', 'size', 'source'] as const

/** The single content field of a value; `undefined` without content. Throws `SeedProblem` for several. */
export function contentField(
  content: SeedContent,
  path: SeedPath,
): (typeof CONTENT_FIELDS)[number] | undefined {
  const [field, other] = CONTENT_FIELDS.filter(name => content[name] !== undefined)
  if (other === undefined) return field
  throw new SeedProblem([...path, other], `cannot be combined with ${field}`)
}

/** A local file or folder of a seed. */
export interface SeedLocalItem {
  readonly path: string
  /** The names in a folder, sorted; missing for a file. */
  readonly names?: readonly string[]
}

/** Finds a local file or folder. `above` are the folders that it was found in. Throws `SeedProblem` if it is not below the folder of the seed, also through links, and for a folder in itself. */
export async function findLocal(
  folder: string,
  name: string,
  at: SeedPath,
  above: readonly string[] = [],
): Promise<SeedLocalItem> {
  const fail = (message: string): never => {
    throw new SeedProblem(at, message)
  }
  const path = resolve(folder, name)
  const isBelow = (base: string, target: string) => {
    const way = relative(base, target)
    return way !== '..' && !way.startsWith(`..${sep}`) && resolve(base, way) === target
  }
  if (!isBelow(folder, path)) fail(`must be below the folder of the seed, not "${name}"`)
  try {
    const [base, target] = await Promise.all([realpath(folder), realpath(path)])
    if (!isBelow(base, target)) fail(`is outside the folder of the seed: "${name}" is a link`)
    if (above.includes(target)) fail(`contains itself: "${name}" is a link to a folder above it`)
    const facts = await lstat(target)
    if (facts.isDirectory()) return {path: target, names: (await readdir(target)).sort()}
    if (!facts.isFile()) fail(`must be a file or a folder, but "${name}" is a special file`)
    return {path: target}
  } catch (error) {
    if (error instanceof SeedProblem) throw error
    return fail(`cannot be read: ${reasonOf(error)} (${name})`)
  }
}

const UNITS: Readonly<Record<string, number>> = {
  B: 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
}

/** A size in bytes. Throws `SeedProblem` for one that is not whole or above 16 GiB. */
export function sizeIn(size: number | string, at: SeedPath): number {
  const [, number = '0', unit = 'B'] = /^([\d.]+) ?(\w+)?$/.exec(String(size)) ?? []
  const bytes = Number(number) * UNITS[unit]!
  if (Number.isInteger(bytes) && bytes <= 16 * 1024 ** 3) return bytes
  throw new SeedProblem(at, `must be a whole number of bytes up to 16 GiB, not "${size}"`)
}

/** Bytes in one piece of generated content. */
const PIECE = 64 * 1024

/** Generated content: the same bytes for the same key. Text types get lines of text. */
export function* generated(size: number, key: string, isText: boolean): Generator<Buffer> {
  const digest = createHash('sha256').update(key).digest()
  const cipher = createCipheriv('aes-128-ctr', digest.subarray(0, 16), digest.subarray(16))
  for (let rest = size; rest > 0; rest -= PIECE) {
    const bytes = cipher.update(Buffer.alloc(isText ? PIECE / 2 : PIECE))
    const piece = isText ? Buffer.from(bytes.toString('hex').replace(/(.{63})./g, '$1\n')) : bytes
    yield piece.subarray(0, Math.min(rest, PIECE))
  }
}

/** Stores the content of a field, except `source`. `key` decides generated content. Throws `SeedProblem`. */
export async function storeContent(
  {content}: Pick<Store, 'content'>,
  given: SeedContent,
  path: SeedPath,
  {folder, key, isText}: {folder: string; key: string; isText: boolean},
): Promise<Blob | undefined> {
  const field = contentField(given, path)
  switch (field) {
    case undefined:
      return undefined
    case 'text':
    case 'source':
      return content.put(Buffer.from(given[field]!))
    case 'base64':
      return content.put(Buffer.from(given.base64!, 'base64'))
    case 'size': {
      const size = sizeIn(given.size!, [...path, 'size'])
      return content.receive(Readable.from(generated(size, key, isText), {objectMode: false}))
    }
    case 'path': {
      const item = await findLocal(folder, given.path!, [...path, 'path'])
      if (item.names) throw new SeedProblem([...path, 'path'], `must be a file, not a folder`)
      return content.receive(createReadStream(item.path))
    }
  }
}

/** SHA-256 of a seed and of all local files that it refers to, so that the same seed is recognized. */
export async function digestOf(folder: string, seed: unknown): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(seed))
  for (const {name, at} of pathsIn(seed, [])) await addLocal(hash, folder, name, at)
  return hash.digest('hex')
}

async function addLocal(
  hash: ReturnType<typeof createHash>,
  folder: string,
  name: string,
  at: SeedPath,
  above: readonly string[] = [],
): Promise<void> {
  const {path, names} = await findLocal(folder, name, at, above)
  hash.update(`\0${name}\0`)
  if (names) {
    const below = [...above, path]
    for (const each of names) await addLocal(hash, folder, join(name, each), at, below)
  } else for await (const piece of createReadStream(path)) hash.update(piece as Buffer)
}

/** All `path` fields of files, folders, revisions and thumbnails. */
function* pathsIn(value: unknown, at: SeedPath): Generator<{name: string; at: SeedPath}> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, field] of Object.entries(value)) {
    const path = [...at, Array.isArray(value) ? Number(key) : key]
    if (key === 'path' && typeof field === 'string') yield {name: field, at: path}
    else yield* pathsIn(field, path)
  }
}
