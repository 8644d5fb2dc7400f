import {accessSync, constants, existsSync, mkdirSync, readdirSync, rmSync, statSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {crc32} from 'node:zlib'
import {isPrivateDirectory, readPrivateFile} from '#lib/platform/private-file.js'
import {writeWhole} from '#lib/platform/write-file.js'

/**
 * Running the bundle with code that V8 compiled before lives here. What the bundle does belongs to
 * everybody else. Here is the form of such code, and its files.
 */

/** What V8 has compiled of the bundle. */
export interface Compiled {
  /** V8's own form; it refuses what another V8 made. */
  readonly code: Buffer
  /** The commands that ran before it was written: all their functions are in it. */
  readonly commands: readonly string[]
}

/** What makes compiled code fit, and no other. */
export interface Fit {
  /** `v20.19.0` */
  readonly node: string
  /** `x64` */
  readonly arch: string
  /** What V8 tells of itself: its version, its flags, and what the processor can do. */
  readonly v8: number
  readonly source: Buffer
}

/** The name of the file for it. */
export function nameFor({node, arch, v8, source}: Fit): string {
  return `${node}-${arch}-${hex(v8)}-${hex(crc32(source))}`
}

/** The content of a file: the code, a line with the commands, and a checksum over both. */
export function pack({code, commands}: Compiled): Buffer {
  const body = Buffer.concat([code, Buffer.from(`\n${commands.join(' ')}\n`, 'latin1')])
  return Buffer.concat([body, Buffer.from(hex(crc32(body)), 'latin1')])
}

/** What `pack` was given; `undefined` for anything else. V8 itself takes damaged code as it comes. */
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

/** The commands of which code is to be kept from now on; `undefined` where nothing new has run. */
export function commandsToKeep(
  kept: Compiled | undefined,
  ran: Iterable<string>,
): readonly string[] | undefined {
  const all = [...new Set([...(kept?.commands ?? []), ...ran])]
  return kept && all.length === kept.commands.length ? undefined : all
}

/** How many files stay, for the versions of drv and of Node that somebody may have side by side. */
const KEPT = 8

/** Which files have to go; `modified` is in milliseconds since 1970. */
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
 * What is read from these files is run, so they count only where nobody but the user can write.
 * Without them everything works, and takes longer: no failure is told.
 */

const user = process.geteuid?.()

/** The compiled code in the file of that name, where it can be trusted and is whole. */
export function readCompiled(directory: string, name: string): Compiled | undefined {
  const content = readPrivateFile(join(directory, name))
  return content && unpack(content)
}

/**
 * Writes the file, whole or not at all, and drops what is too old. What goes into it takes a while to
 * make, and is not asked for where nothing can be written.
 */
export function writeCompiled(directory: string, name: string, make: () => Compiled): void {
  try {
    makeOwnDirectory(directory)
    if (!isPrivateDirectory(directory)) return
    accessSync(directory, constants.W_OK)
    // Nothing that is put off happens any more when the process ends, and none of this is.
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
 * Makes `drv/compiled`, and the user's cache directory around it, but no home directory; and nothing
 * in the home of somebody else, as whom a command runs.
 */
function makeOwnDirectory(directory: string): void {
  for (const path of [dirname(dirname(directory)), dirname(directory), directory]) {
    if (existsSync(path)) continue
    if (user !== undefined && statSync(dirname(path)).uid !== user) return
    mkdirSync(path, {mode: 0o700})
  }
}
