import {accessSync, constants, existsSync, mkdirSync, readdirSync, rmSync, statSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {crc32} from 'node:zlib'
import {isPrivateDirectory, readPrivateFile} from '#lib/platform/private-file.js'
import {writeWhole} from '#lib/platform/write-file.js'

/** The format of cached V8 code, and the files that hold it. */

/** Code that V8 compiled from the bundle. */
export interface Compiled {
  /** V8's cached data. V8 rejects data from another V8 version. */
  readonly code: Buffer
  /** Names of the commands that had run when it was written; it contains all their functions. */
  readonly commands: readonly string[]
}

/** The properties that must match for compiled code to be usable. */
export interface Fit {
  /** `v20.19.0` */
  readonly node: string
  /** `x64` */
  readonly arch: string
  /** V8's version tag: a hash of its version, its flags and the CPU features. */
  readonly v8: number
  readonly source: Buffer
}

/** The file name for compiled code: `NODE-ARCH-V8-CRC32`. */
export function nameFor({node, arch, v8, source}: Fit): string {
  return `${node}-${arch}-${hex(v8)}-${hex(crc32(source))}`
}

/** Serializes compiled code: the code, a line with the commands, and a CRC-32 of both. */
export function pack({code, commands}: Compiled): Buffer {
  const body = Buffer.concat([code, Buffer.from(`\n${commands.join(' ')}\n`, 'latin1')])
  return Buffer.concat([body, Buffer.from(hex(crc32(body)), 'latin1')])
}

/** Reverses `pack`; `undefined` for invalid content. V8 itself does not detect damaged code. */
export function unpack(content: Buffer): Compiled | undefined {
  const end = content.lastIndexOf('\n') + 1
  const body = content.subarray(0, end)
  if (end === 0 || hex(crc32(body)) !== content.toString('latin1', end)) return undefined
  const start = body.lastIndexOf('\n', end - 2)
  const commands = body
    .toString('latin1', start + 1, end - 1)
    .split(' ')
    .filter(Boolean)
  return {code: body.subarray(0, start), commands}
}

/** The commands to save code for now; `undefined` if no new command has run. */
export function commandsToKeep(
  kept: Pick<Compiled, 'commands'> | undefined,
  ran: Iterable<string>,
): readonly string[] | undefined {
  const all = [...new Set([...(kept?.commands ?? []), ...ran])]
  return kept && all.length === kept.commands.length ? undefined : all
}

/** Number of files to keep, for several versions of drv and Node side by side. */
const KEPT = 8

/** Names of the files to delete; `modified` is in milliseconds since 1970. */
export function outdated(
  files: ReadonlyArray<{readonly name: string; readonly modified: number}>,
): readonly string[] {
  const byAge = [...files].sort((one, other) => other.modified - one.modified)
  return byAge.slice(KEPT).map(({name}) => name)
}

function hex(number: number): string {
  return number.toString(16).padStart(8, '0')
}

/*
 * The content of these files is executed, so a file counts only if no other user can write to it.
 * Compiled code only saves time, so failures are not reported.
 */

const user = process.geteuid?.()

/** The compiled code in the named file; `undefined` if it is missing, incomplete or not private. */
export function readCompiled(directory: string, name: string): Compiled | undefined {
  const content = readPrivateFile(join(directory, name))
  return content && unpack(content)
}

/**
 * Writes the file atomically and deletes old ones. `make` takes a while, so it is not called if the
 * directory cannot be written.
 */
export function writeCompiled(directory: string, name: string, make: () => Compiled): void {
  try {
    makeOwnDirectory(directory)
    if (!isPrivateDirectory(directory)) return
    accessSync(directory, constants.W_OK)
    // The process is ending and asynchronous work would not run; `writeWhole` is synchronous here.
    writeWhole(join(directory, name), pack(make())).catch(() => undefined)
    const files = readdirSync(directory).map(entry => ({
      name: entry,
      modified: statSync(join(directory, entry)).mtimeMs,
    }))
    for (const old of outdated(files)) rmSync(join(directory, old), {force: true})
  } catch {
    // The next command tries again.
  }
}

/**
 * Creates `drv/compiled` and the user's cache directory, but no home directory, and nothing in a home
 * directory that belongs to another user, as under sudo.
 */
function makeOwnDirectory(directory: string): void {
  for (const path of [dirname(dirname(directory)), dirname(directory), directory]) {
    if (existsSync(path)) continue
    if (user !== undefined && statSync(dirname(path)).uid !== user) return
    mkdirSync(path, {mode: 0o700})
  }
}
