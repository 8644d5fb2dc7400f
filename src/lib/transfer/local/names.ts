import {lstat} from 'node:fs/promises'
import {basename, dirname, extname, join} from 'node:path'
import {EDITOR_TYPE_PREFIX} from '#lib/api/wire.js'
import {cut} from '#lib/platform/sanitize.js'
import {groupBy} from '#lib/platform/values.js'
import {encodeName} from './encode-name.js'

/**
 * Which name an entry of the service gets on this machine. A title may be anything, so it is never
 * taken for a path; the same titles always lead to the same names.
 */

/** What kind of names the target takes. */
export interface NameRules {
  /** Windows takes fewer characters than others. */
  readonly isWindows: boolean
  /** `A` and `a` are two names. */
  readonly isCaseSensitive: boolean
}

/** The most bytes that file systems allow in a name. */
export const MOST_BYTES = 255
/** A longer ID is cut in a name. */
const MOST_BYTES_OF_ID = 100

/** The local name for a title (see `encodeName`), cut before its ending where it is too long. */
export function localName(title: string, {isWindows}: Pick<NameRules, 'isWindows'>): string {
  return shorten(encodeName(title, isWindows), MOST_BYTES)
}

/** What two names have in common when they cannot be beside each other. */
export function nameKey(name: string, {isCaseSensitive}: NameRules): string {
  return isCaseSensitive ? name : name.normalize('NFC').toLowerCase()
}

/** The title by which a local name is found in the service: systems differ in how they write accents. */
export function titleKey(name: string): string {
  return name.normalize('NFC')
}

/** The names on the way to an entry, as one text to look it up by. Titles may hold a slash. */
export function pathKey(names: readonly string[]): string {
  return names.join('\0')
}

interface Titled {
  readonly id: string
  readonly title: string
  /** Milliseconds since 1970. */
  readonly created?: number
}

/** An entry of the service and its name on this machine. */
export interface Named<T> {
  readonly entry: T
  readonly name: string
  /** All entries of the folder that would have this name, this one included. */
  readonly claimants: readonly T[]
}

export interface Naming<T> {
  /** Names that entries have here already, by ID. */
  readonly known?: ReadonlyMap<string, string>
  /** Who gets a name that several would have: the lowest, then the oldest, then the first by ID. */
  readonly rank?: (entry: T, name: string) => number
}

/**
 * Names for the entries of one folder. Where several would have the same name, the oldest gets it and
 * the others a number, `same (1).txt`; a known name is kept. So the order does not matter, and a new
 * entry takes no name from another one. A title that is too long has its ID in its name.
 */
export function assignNames<T extends Titled>(
  entries: readonly T[],
  rules: NameRules,
  {known, rank = () => 0}: Naming<T> = {},
): Array<Named<T>> {
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

/** The name of an entry that is alone: where the title is too long, with the ID, which leads back. */
export function plainName({id, title}: Titled, rules: NameRules): string {
  const name = encodeName(title, rules.isWindows)
  if (Buffer.byteLength(name) <= MOST_BYTES) return name
  return withMark(name, shorten(localName(id, rules), MOST_BYTES_OF_ID))
}

/** `report (MARK).pdf`, cut where it would be too long for a name. */
export function withMark(name: string, mark: string): string {
  const ending = endingOf(name)
  const end = ` (${mark})${ending}`
  return cut(name.slice(0, name.length - ending.length), MOST_BYTES - Buffer.byteLength(end)) + end
}

/** `report (1).pdf`, or with the next number that no other thing has. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  for (let number = 1; ; number++) {
    const next = withMark(name, String(number))
    if (!isTaken(next)) return next
  }
}

/** Whether a name is one of those that `freeName` gives. */
export function isNumbered(name: string, of: string): boolean {
  const number = NUMBER.exec(name)?.[1]
  return number !== undefined && withMark(of, number) === name
}

/** The name that `freeName` gave another one for, as far as it was not cut; `undefined` for others. */
export function withoutNumber(name: string): string | undefined {
  return NUMBER.test(name) ? name.replace(NUMBER, '$2') : undefined
}

const NUMBER = / \((\d+)\)(\.[A-Za-z0-9]{1,10})?$/

/** A name in so many bytes: whole characters go, and a short ending stays. */
export function shorten(name: string, most: number): string {
  if (Buffer.byteLength(name) <= most) return name
  const ending = endingOf(name)
  return cut(name.slice(0, name.length - ending.length), most - Buffer.byteLength(ending)) + ending
}

function endingOf(name: string): string {
  return /(?<=.)\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? ''
}

/** What is on this machine, and what names it takes, lives here. Nothing of it is changed here. */

/**
 * Whether `A` and `a` are two names where `path` is, found out without writing anything: by whether
 * the path is still the same with its capitals swapped. A folder that is not there yet is judged by
 * the one it will be in.
 */
export async function isCaseSensitive(path: string, platform: NodeJS.Platform): Promise<boolean> {
  for (let at = path, above = dirname(at); at !== above; at = above, above = dirname(at)) {
    const name = basename(at)
    const swapped = name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase()
    const facts = swapped === name ? undefined : await look(at)
    if (!facts) continue
    const other = await look(join(above, swapped))
    return !other || other.ino !== facts.ino || other.dev !== facts.dev
  }
  return platform !== 'win32' && platform !== 'darwin'
}

async function look(path: string) {
  return lstat(path).catch(() => undefined)
}

/**
 * The media type that a name's ending stands for; `undefined` for a name without one. Endings of the
 * service's own documents stand for types that have no bytes, which a file cannot have.
 */
export async function mimeTypeOf(name: string): Promise<string | undefined> {
  // A whole name is no ending, though `doc` and `c` would be one.
  if (extname(name) === '') return undefined
  const {default: mime} = await import('mime')
  const type = mime.getType(name)
  return type && !type.startsWith(EDITOR_TYPE_PREFIX) ? type : undefined
}
