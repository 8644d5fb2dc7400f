import {decodeName, encodeName} from './encode-name.js'
import {MOST_BYTES, withoutNumber} from './names.js'

/**
 * Keys by which titles and local names are brought together before all names of a folder are known:
 * a title has one in common with each name that it may have on any machine. Others may have it too.
 */

export function keysOfTitle(title: string): string[] {
  const isLong = Buffer.byteLength(encodeName(title, true)) > MOST_BYTES
  return isLong ? [folded(title), startOf(title)] : [folded(title)]
}

export function keysOfName(name: string): string[] {
  const titles = new Set([name, decodeName(name, false), decodeName(name, true)])
  const keys = new Set<string>()
  for (const title of titles) {
    keys.add(folded(title))
    keys.add(folded(withoutNumber(title) ?? title))
    if (Buffer.byteLength(name) > LONG) keys.add(startOf(title))
  }
  return [...keys]
}

/** Fewer bytes than any name has that was cut. */
const LONG = MOST_BYTES - 10
/** Code units that are left of every name that was cut, at the least. */
const START = 20

function startOf(title: string): string {
  return `${folded(title.slice(0, START))}…`
}

function folded(title: string): string {
  return title.normalize('NFC').toLowerCase()
}
