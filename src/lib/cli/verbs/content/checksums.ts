import type {Context} from '#lib/cli/context/context.js'
import {unreadableFileError} from '#lib/cli/explain/unreadable.js'
import {locateRemotePaths, readRemotePath} from '#lib/cli/input/names/resolver.js'
import type {Row} from '#lib/cli/output/format.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {readAll, readLocalText} from '#lib/cli/terminal/io.js'
import {count} from '#lib/cli/terminal/units.js'
import {rowsOf, type SeenFolders} from '#lib/cli/verbs/everyday/list-places.js'
import {gatherCalls} from '#lib/transfer/remote/gather.js'
import {followEntries} from '#lib/transfer/remote/shortcuts.js'

/** Checksums in the format of md5sum (GNU coreutils). */

/** A line of a checksum list. */
export interface ChecksumLine {
  readonly md5: string
  readonly path: string
}

/** The result for a line, in the words of md5sum. */
export interface CheckedSum {
  readonly path: string
  readonly result: 'OK' | 'FAILED' | 'FAILED open or read'
}

/** The listed files that have a checksum. Throws `UsageError` for a named file that has none. */
export function sumsOf(seen: readonly SeenFolders[]): Row[] {
  return seen.flatMap(one => {
    if (one.kind === 'error') return []
    if (one.kind === 'nodes') return rowsOf(one.nodes()).filter(hasSum)
    if (hasSum(one.row)) return [one.row]
    throw new UsageError(
      `${String(one.row.path)} has no checksum: it is an editor document or a shortcut.`,
      'Pass a file that is neither.',
    )
  })
}

function hasSum({md5Checksum}: Row): boolean {
  return typeof md5Checksum === 'string'
}

/** `MD5  PATH`, with a leading backslash if line breaks or backslashes in the path are escaped. Pure. */
export function sumLine({md5Checksum, path}: Row): string {
  const plain = String(path)
  const written = plain.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
  return `${written === plain ? '' : '\\'}${String(md5Checksum)}  ${written}\n`
}

/** Parses a line; `undefined` for a malformed one. Pure. */
export function parseSumLine(line: string): ChecksumLine | undefined {
  const [, escaped, md5, written] = /^(\\?)([\dA-Fa-f]{32})(?: [ *])(.+)$/s.exec(line) ?? []
  if (md5 === undefined || written === undefined) return undefined
  const path = escaped ? written.replace(/\\([\\nr])/g, (_, mark: string) => MARKS[mark]!) : written
  return {md5: md5.toLowerCase(), path}
}

const MARKS: Readonly<Record<string, string>> = {'\\': '\\', n: '\n', r: '\r'}

/** Reads local files, `-` for standard input. Throws `UsageError` for a file without checksum lines. */
export async function readSums(
  files: readonly string[],
  context: Context,
): Promise<ChecksumLine[]> {
  const sums: ChecksumLine[] = []
  for (const file of files) {
    const text = await textIn(file, context)
    const lines = text.split(/\r?\n/).filter(line => line !== '')
    const found = lines.flatMap(line => parseSumLine(line) ?? [])
    const source = file === '-' ? 'standard input' : file
    if (found.length === 0) {
      throw new UsageError(
        `${source} contains no checksum lines.`,
        'A checksum line has an MD5 in hexadecimal, two spaces and a path, as `drv md5sum` prints it.',
      )
    }
    const malformed = lines.length - found.length
    if (malformed > 0) context.note(`${source}: ignored ${count(malformed, 'malformed line')}.`)
    sums.push(...found)
  }
  return sums
}

async function textIn(file: string, context: Context): Promise<string> {
  if (file === '-') return readAll(context)
  return readLocalText(file, context).catch((error: unknown) => {
    throw unreadableFileError(file, error)
  })
}

/** Compares remote files with checksums, resolving all paths together. Throws `UsageError` for an invalid path. */
export async function checkedSums(
  context: Context,
  sums: readonly ChecksumLine[],
): Promise<CheckedSum[]> {
  const located = await locateRemotePaths(
    context,
    sums.map(({path}) => readRemotePath(path)),
  )
  const found = located.map(one => ('found' in one ? [one.found.entry] : []))
  const entries = await followEntries(gatherCalls(await context.client()), found.flat())
  return sums.map(({md5, path}, index): CheckedSum => {
    const entry = found[index]!.length > 0 ? entries.shift() : undefined
    if (entry?.kind !== 'file' || entry.md5 === undefined) {
      return {path, result: 'FAILED open or read'}
    }
    return {path, result: entry.md5 === md5 ? 'OK' : 'FAILED'}
  })
}

/** Throws `CommandError('failed')` if any file differs or is missing. */
export function concludeSums(results: readonly CheckedSum[]): void {
  const differ = results.filter(({result}) => result === 'FAILED').length
  const missing = results.filter(({result}) => result === 'FAILED open or read').length
  if (differ + missing === 0) return
  const parts = [
    ...(differ > 0 ? [`${count(differ, 'checksum')} did not match`] : []),
    ...(missing > 0 ? [`${count(missing, 'file')} could not be read`] : []),
  ]
  throw new CommandError('failed', `${parts.join('; ')}.`)
}
