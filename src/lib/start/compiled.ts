import {crc32} from 'node:zlib'

/**
 * Running the bundle with code that V8 compiled before lives here. What the bundle does belongs to
 * everybody else. This file is the form of such code, and pure: `store.ts` reads and writes it.
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
