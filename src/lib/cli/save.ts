import {createHash, randomUUID} from 'node:crypto'
import {createWriteStream} from 'node:fs'
import {link, rename, rm, stat} from 'node:fs/promises'
import {basename, dirname, join} from 'node:path'
import {Transform, type Writable} from 'node:stream'
import {pipeline} from 'node:stream/promises'
import type {Download} from '../client/client.js'
import {CommandError} from './errors.js'
import {safeFileName} from './filename.js'
import {brokenPipe} from './io.js'

/** Where a download goes. */
export interface Target {
  readonly path: string
  /** A file of that name may be replaced: the person named it, or said `--force`. */
  readonly overwrite: boolean
}

export interface Saved {
  readonly path: string
  readonly size: number
  readonly mimeType?: string
}

/** What the content should be, where the service told. */
export interface Expected {
  /** In hexadecimal. */
  readonly md5?: string
}

/**
 * Where a file with that title goes: `given` as it is when it names a file; inside it when it is a
 * directory; in the current directory without it. A name made from a title never replaces a file
 * unless `force` is set.
 */
export async function chooseTarget(given: string, title: string, force: boolean): Promise<Target> {
  if (given !== '' && !(await isDirectory(given)) && !/[/\\]$/.test(given)) {
    return {path: given, overwrite: true}
  }
  const target = {path: join(given, safeFileName(title)), overwrite: force}
  if (!force && (await exists(target.path))) throw taken(target.path)
  return target
}

/**
 * Writes a download under a temporary name beside its target and renames it when it is whole. The
 * temporary file is gone afterwards, whatever happened.
 */
export async function saveDownload(
  download: Download,
  target: Target,
  expected: Expected,
  options: {readonly signal: AbortSignal; readonly onEnd: (close: () => Promise<void>) => void},
): Promise<Saved> {
  const {path, overwrite} = target
  const temporary = join(dirname(path), `.${basename(path).slice(0, 60)}.${randomUUID()}.part`)
  const remove = () => rm(temporary, {force: true})
  // A signal ends the command while the copy below still runs.
  options.onEnd(remove)
  try {
    const size = await copy(
      download,
      createWriteStream(temporary, {flags: 'wx'}),
      expected,
      options,
    )
    await (overwrite ? rename(temporary, path) : placeNew(temporary, path))
    return {path, size, mimeType: download.mimeType}
  } finally {
    await remove()
  }
}

/** Copies a download to a stream that stays open, such as standard output. */
export async function copyDownload(
  download: Download,
  sink: Writable,
  expected: Expected,
  options: {readonly signal: AbortSignal},
): Promise<void> {
  try {
    await copy(download, sink, expected, {...options, end: false})
  } catch (error) {
    throw brokenPipe(error) ?? error
  }
}

/** Copies and checks: all bytes that were announced must come, and with the sum that was told. */
async function copy(
  {stream, size}: Download,
  sink: Writable,
  {md5}: Expected,
  {signal, end = true}: {readonly signal: AbortSignal; readonly end?: boolean},
): Promise<number> {
  const hash = createHash('md5')
  let count = 0
  const meter = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk)
      count += chunk.length
      done(null, chunk)
    },
  })
  await pipeline(stream, meter, sink, {signal, end})
  if (size !== undefined && count !== size) {
    throw damaged(`${count} of ${size} bytes arrived`)
  }
  if (md5 !== undefined && hash.digest('hex') !== md5.toLowerCase()) {
    throw damaged('its MD5 is not the one the service tells')
  }
  return count
}

function damaged(words: string): CommandError {
  return new CommandError(
    'content',
    `The content is not what was announced: ${words}.`,
    'It may have changed meanwhile: try again.',
  )
}

/** Gives a file its name unless there is one of that name, without a moment between look and deed. */
async function placeNew(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path)
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw taken(path)
    // Some file systems know no links.
    if (await exists(path)) throw taken(path)
    await rename(temporary, path)
  }
}

function taken(path: string): CommandError {
  return new CommandError(
    'conflict',
    `${path} exists already, and you did not name it.`,
    'Use --force to replace it, or give a path.',
  )
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}
