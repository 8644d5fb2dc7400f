import {lstat} from 'node:fs/promises'
import {basename, dirname, extname, join} from 'node:path'
import {EDITOR_TYPE_PREFIX} from '#lib/api/wire.js'
import {truncate} from '#lib/platform/sanitize.js'
import {groupBy} from '#lib/platform/values.js'
import {encodeName} from './encode-name.js'

/**
 * Assigns local names to remote entries. A title can be any text, so it is never used as a path. The
 * same titles always result in the same names.
 */

/** Rules for names in the target directory. */
export interface NameRules {
  /** Windows allows fewer characters. */
  readonly isWindows: boolean
  /** Whether `A` and `a` are different names. */
  readonly isCaseSensitive: boolean
}

/** Maximum number of bytes in a file name. */
export const MOST_BYTES = 255
/** Maximum number of bytes of an ID in a name; a longer one is cut off. */
const MOST_BYTES_OF_ID = 100

/** The local name for a title (see `encodeName`), shortened before its extension if too long. */
export function localName(title: string, {isWindows}: Pick<NameRules, 'isWindows'>): string {
  return shorten(encodeName(title, isWindows), MOST_BYTES)
}

/** A key that is equal for names that cannot exist side by side. */
export function nameKey(name: string, {isCaseSensitive}: NameRules): string {
  return isCaseSensitive ? name : name.normalize('NFC').toLowerCase()
}

/** A key for comparing titles with local names: Unicode NFC, since systems encode accents differently. */
export function titleKey(name: string): string {
  return name.normalize('NFC')
}

/** A lookup key for a path of names. Titles may contain slashes, so the separator is NUL. */
export function pathKey(names: readonly string[]): string {
  return names.join('\0')
}

interface Titled {
  readonly id: string
  readonly title: string
  /** Milliseconds since 1970. */
  readonly created?: number
}

/** A remote entry and its local name. */
export interface NamedEntry<T> {
  readonly entry: T
  readonly name: string
  /** All entries of the folder that compete for this name, including this one. */
  readonly claimants: readonly T[]
}

export interface Naming<T> {
  /** Names that entries already have here, by ID. */
  readonly known?: ReadonlyMap<string, string>
  /** Decides who gets a name that several compete for: the lowest rank, then the oldest, then the first ID. */
  readonly rank?: (entry: T, name: string) => number
}

/**
 * Names for the entries of one folder. If several compete for a name, the oldest gets it and the others
 * are numbered, `same (1).txt`; known names are kept. The result does not depend on the order, and a new
 * entry never takes a name from another one. If a title is too long, its name contains the ID.
 */
export function assignNames<T extends Titled>(
  entries: readonly T[],
  rules: NameRules,
  {known, rank = () => 0}: Naming<T> = {},
): Array<NamedEntry<T>> {
  const plain = new Map(entries.map(entry => [entry, plainName(entry, rules)]))
  const groups = groupBy(entries, entry => nameKey(plain.get(entry)!, rules))
  const names = new Map<T, string>()
  const taken = new Set<string>()
  const isTaken = (name: string) => taken.has(nameKey(name, rules))
  const give = (entry: T, name: string) => {
    names.set(entry, name)
    taken.add(nameKey(name, rules))
  }
  for (const entry of entries.filter(({id}) => known?.has(id)).sort(byAge)) {
    const old = known!.get(entry.id)!
    const name = plain.get(entry)!
    if ((old === name || isNumbered(old, name)) && !isTaken(old)) give(entry, old)
  }
  const others: T[] = []
  for (const group of groups.values()) {
    const open = group.filter(entry => !names.has(entry))
    if (open.length > 1) {
      const ranks = new Map(open.map(entry => [entry, rank(entry, plain.get(entry)!)]))
      open.sort((one, other) => compare(ranks.get(one)!, ranks.get(other)!) || byAge(one, other))
    }
    const [first] = open
    const isFree = first && !isTaken(plain.get(first)!)
    if (isFree) give(first, plain.get(first)!)
    others.push(...open.slice(isFree ? 1 : 0))
  }
  const next = new Map<string, number>()
  for (const entry of others.sort(byAge)) {
    const name = plain.get(entry)!
    let number = next.get(name) ?? 1
    while (isTaken(withMark(name, String(number)))) number++
    next.set(name, number + 1)
    give(entry, withMark(name, String(number)))
  }
  return entries.map(entry => ({
    entry,
    name: names.get(entry)!,
    claimants: groups.get(nameKey(plain.get(entry)!, rules))!,
  }))
}

function byAge(one: Titled, other: Titled): number {
  return compare(one.created ?? Infinity, other.created ?? Infinity) || compare(one.id, other.id)
}

function compare<T extends number | string>(one: T, other: T): number {
  return one === other ? 0 : one < other ? -1 : 1
}

/** The name of an entry without competitors; if the title is too long, it contains the ID. */
export function plainName({id, title}: Titled, rules: NameRules): string {
  const name = encodeName(title, rules.isWindows)
  if (Buffer.byteLength(name) <= MOST_BYTES) return name
  return withMark(name, shorten(localName(id, rules), MOST_BYTES_OF_ID))
}

/** `report (MARK).pdf`, with the name shortened if necessary. */
export function withMark(name: string, mark: string): string {
  const ending = endingOf(name)
  const end = ` (${mark})${ending}`
  return (
    truncate(name.slice(0, name.length - ending.length), MOST_BYTES - Buffer.byteLength(end)) + end
  )
}

/** `report (1).pdf`, with the lowest free number. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  for (let number = 1; ; number++) {
    const next = withMark(name, String(number))
    if (!isTaken(next)) return next
  }
}

/** Whether `freeName` could have produced a name from `of`. */
export function isNumbered(name: string, of: string): boolean {
  const number = NUMBER.exec(name)?.[1]
  return number !== undefined && withMark(of, number) === name
}

/** The name from which `freeName` produced this one, unless it was shortened; `undefined` for others. */
export function withoutNumber(name: string): string | undefined {
  return NUMBER.test(name) ? name.replace(NUMBER, '$2') : undefined
}

const NUMBER = / \((\d+)\)(\.[A-Za-z0-9]{1,10})?$/

/** A name shortened to `most` bytes; keeps whole characters and a short extension. */
export function shorten(name: string, most: number): string {
  if (Buffer.byteLength(name) <= most) return name
  const ending = endingOf(name)
  return (
    truncate(name.slice(0, name.length - ending.length), most - Buffer.byteLength(ending)) + ending
  )
}

function endingOf(name: string): string {
  return /(?<=.)\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? ''
}

/** Facts about local paths. Nothing here changes files. */

/**
 * Whether names are case-sensitive at `path`. Writes nothing: it checks whether the path with swapped
 * case is the same file. For a missing folder it checks the nearest existing parent.
 */
export async function isCaseSensitive(path: string, platform: NodeJS.Platform): Promise<boolean> {
  for (let at = path, above = dirname(at); at !== above; at = above, above = dirname(at)) {
    const name = basename(at)
    const swapped = name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase()
    const facts = swapped === name ? undefined : await statIfExists(at)
    if (!facts) continue
    const other = await statIfExists(join(above, swapped))
    return !other || other.ino !== facts.ino || other.dev !== facts.dev
  }
  return platform !== 'win32' && platform !== 'darwin'
}

async function statIfExists(path: string) {
  return lstat(path).catch(() => undefined)
}

/**
 * The media type for a name's extension; `undefined` without one. Ignores the types of the service's
 * own documents, which have no content that a file could hold.
 */
export async function mimeTypeOf(name: string): Promise<string | undefined> {
  // Without this check, mime would treat a whole name such as `doc` as an extension.
  if (extname(name) === '') return undefined
  const {default: mime} = await import('mime')
  const type = mime.getType(name)
  return type && !type.startsWith(EDITOR_TYPE_PREFIX) ? type : undefined
}
