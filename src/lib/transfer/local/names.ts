import {cut} from '../../api/text.js'
import {groupBy} from '../tree/groups.js'

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

/** Where a pull that mirrors puts what the service does not have; no part of any tree. */
export const ASIDE = '.drv-trash'

/** Names that mean a device to Windows, with or without an ending. */
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?$/i

/** The slash, and what a terminal would act on: controls, line separators, marks that turn the text. */
const FORBIDDEN =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069/]/g
const FORBIDDEN_ON_WINDOWS = /[\\:*?"<>|]/g

/** The most bytes that file systems allow in a name. */
const MOST_BYTES = 255

/**
 * The local name for a title: itself where it is safe. Forbidden characters become `_`; a name of
 * dots alone, that of a device and `ASIDE` get a `_` in front; what is too long is cut before its
 * ending.
 */
export function localName(title: string, {isWindows}: Pick<NameRules, 'isWindows'>): string {
  const clean = cleanName(title, isWindows)
  const kept = isWindows ? clean.replace(/[. ]$/, '_') : clean
  const isUnsafe = /^\.*$/.test(kept) || isDevice(kept) || kept.toLowerCase() === ASIDE
  return shorten(isUnsafe ? `_${kept}` : kept, MOST_BYTES)
}

/** A title with `_` for each character that no name has here, or none on Windows. */
export function cleanName(title: string, isWindows: boolean): string {
  const clean = title.replace(FORBIDDEN, '_').replace(/\p{Cs}/gu, '_')
  return isWindows ? clean.replace(FORBIDDEN_ON_WINDOWS, '_') : clean
}

/** Whether a name means a device to Windows. */
export function isDevice(name: string): boolean {
  return DEVICE.test(name)
}

/** What two names have in common when they cannot be beside each other. */
export function nameKey(name: string, {isCaseSensitive}: NameRules): string {
  return isCaseSensitive ? name : name.normalize('NFC').toLowerCase()
}

/** The title by which a local name is found in the service: systems differ in how they write accents. */
export function titleKey(name: string): string {
  return name.normalize('NFC')
}

interface Titled {
  readonly id: string
  readonly title: string
}

/** What becomes of the entries of one folder. */
export interface Names<T> {
  readonly named: ReadonlyArray<{readonly entry: T; readonly name: string}>
  /** Entries of one and the same title: nobody can say which of them is meant. */
  readonly doubles: ReadonlyArray<readonly T[]>
}

/**
 * Names for the entries of one folder. Where different titles lead to one name, each gets its ID
 * into the name, but for one whose title is that name; so no name depends on the order.
 */
export function assignNames<T extends Titled>(entries: readonly T[], rules: NameRules): Names<T> {
  const byTitle = [...groupBy(entries, ({title}) => title).values()]
  const doubles = byTitle.filter(group => group.length > 1)
  const single = byTitle.filter(group => group.length === 1).flat()
  const byName = groupBy(single, ({title}) => nameKey(localName(title, rules), rules))
  const taken = new Set<string>()
  const named = [...byName.values()].flatMap(group => {
    const own = group.filter(({title}) => localName(title, rules) === title)
    return group.map(entry => {
      const name = localName(entry.title, rules)
      const keeps = group.length === 1 || (own.length === 1 && own[0] === entry)
      const chosen = keeps ? name : withId(name, entry.id, rules)
      taken.add(nameKey(chosen, rules))
      return {entry, name: chosen}
    })
  })
  // Somebody else's title may be just the name that an ID led to.
  const unique = taken.size === named.length ? named : named.map(whole(rules))
  return {named: unique, doubles}
}

/** Every name with its ID: the way out when even names with an ID clash. */
const whole =
  (rules: NameRules) =>
  <T extends Titled>({entry}: {readonly entry: T}) => ({
    entry,
    name: withId(localName(entry.title, rules), entry.id, rules),
  })

/** `report (ID).pdf` */
function withId(name: string, id: string, rules: NameRules): string {
  return withMark(name, localName(id, rules))
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
  const number = / \((\d+)\)(?:\.[A-Za-z0-9]{1,10})?$/.exec(name)?.[1]
  return number !== undefined && withMark(of, number) === name
}

/** A name in so many bytes: whole characters go, and a short ending stays. */
export function shorten(name: string, most: number): string {
  if (Buffer.byteLength(name) <= most) return name
  const ending = endingOf(name)
  return cut(name.slice(0, name.length - ending.length), most - Buffer.byteLength(ending)) + ending
}

function endingOf(name: string): string {
  return /(?<=.)\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? ''
}
