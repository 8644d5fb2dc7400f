import type {Context} from '#lib/cli/context/context.js'
import {unreadable} from '#lib/cli/explain/unreadable.js'
import {locateRemotePaths, readRemotePath} from '#lib/cli/input/names/resolver.js'
import type {Row} from '#lib/cli/output/format.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {readAll, readLocalText} from '#lib/cli/terminal/io.js'
import {count} from '#lib/cli/terminal/units.js'
import {rowsOf, type Seen} from '#lib/cli/verbs/everyday/list-places.js'
import {gather} from '#lib/transfer/remote/gather.js'
import {followEntries} from '#lib/transfer/remote/shortcuts.js'

/** Checksums as the md5sum of GNU coreutils writes and checks them. */

/** A line of a list of checksums. */
export interface Sum {
  readonly md5: string
  readonly path: string
}

/** What came of a line; the words are those of md5sum. */
export interface CheckedSum {
  readonly path: string
  readonly result: 'OK' | 'FAILED' | 'FAILED open or read'
}

/** The files among what was seen that have a checksum. Throws `UsageError` for one that was named and has none. */
export function sumsOf(seen: readonly Seen[]): Row[] {
  return seen.flatMap(one => {
    if (one.kind === 'error') return []
    if (one.kind === 'nodes') return rowsOf(one.nodes).filter(hasSum)
    if (hasSum(one.row)) return [one.row]
    throw new UsageError(
      `${String(one.row.path)} has no checksum: it is an editor document or a shortcut.`,
      'Name files with content of their own.',
    )
  })
}

function hasSum({md5Checksum}: Row): boolean {
  return typeof md5Checksum === 'string'
}

/** `MD5  PATH`, with a backslash in front where the path has line breaks or backslashes. Pure. */
export function sumLine({md5Checksum, path}: Row): string {
  const plain = String(path)
  const written = plain.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
  return `${written === plain ? '' : '\\'}${String(md5Checksum)}  ${written}\n`
}

/** What a line says; `undefined` for one that is no such line. Pure. */
export function parseSumLine(line: string): Sum | undefined {
  const [, escaped, md5, written] = /^(\\?)([\dA-Fa-f]{32})(?: [ *])(.+)$/s.exec(line) ?? []
  if (md5 === undefined || written === undefined) return undefined
  const path = escaped ? written.replace(/\\([\\nr])/g, (_, mark: string) => MARKS[mark]!) : written
  return {md5: md5.toLowerCase(), path}
}

const MARKS: Readonly<Record<string, string>> = {'\\': '\\', n: '\n', r: '\r'}

/** The lines of local files, `-` for standard input. Throws `UsageError` where none is a checksum. */
export async function readSums(files: readonly string[], context: Context): Promise<Sum[]> {
  const sums: Sum[] = []
  for (const file of files) {
    const text = await textIn(file, context)
    const lines = text.split(/\r?\n/).filter(line => line !== '')
    const found = lines.flatMap(line => parseSumLine(line) ?? [])
    const source = file === '-' ? 'standard input' : file
    if (found.length === 0) {
      throw new UsageError(
        `${source} has no line of a checksum.`,
        'A line is an MD5 in hexadecimal, two spaces and a path, as `drv md5sum` prints it.',
      )
    }
    const strange = lines.length - found.length
    if (strange > 0) context.note(`${source}: ignored ${count(strange, 'malformed line')}.`)
    sums.push(...found)
  }
  return sums
}

async function textIn(file: string, context: Context): Promise<string> {
  if (file === '-') return readAll(context)
  return readLocalText(file, context).catch((error: unknown) => {
    throw unreadable(file, error)
  })
}

/** Compares files with their lines; all are looked up together. Throws `UsageError` for what is no path. */
export async function checkedSums(context: Context, sums: readonly Sum[]): Promise<CheckedSum[]> {
  const located = await locateRemotePaths(
    context,
    sums.map(({path}) => readRemotePath(path)),
  )
  const found = located.map(one => ('found' in one ? [one.found.entry] : []))
  const entries = await followEntries(gather(await context.client()), found.flat())
  return sums.map(({md5, path}, index): CheckedSum => {
    const entry = found[index]!.length > 0 ? entries.shift() : undefined
    if (entry?.kind !== 'file' || entry.md5 === undefined) {
      return {path, result: 'FAILED open or read'}
    }
    return {path, result: entry.md5 === md5 ? 'OK' : 'FAILED'}
  })
}

/** Throws `CommandError('failed')` where not all is as the lines say. */
export function concludeSums(results: readonly CheckedSum[]): void {
  const differ = results.filter(({result}) => result === 'FAILED').length
  const missing = results.filter(({result}) => result === 'FAILED open or read').length
  if (differ + missing === 0) return
  const parts = [
    ...(differ > 0 ? [`${count(differ, 'checksum')} did not match`] : []),
    ...(missing > 0 ? [`${count(missing, 'file')} could not be read`] : []),
  ]
  throw new CommandError('failed', `${parts.join(', ')}.`)
}
