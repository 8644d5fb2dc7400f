import {cleanName} from './encode-name.js'
import {shorten, withMark} from './names.js'

/** Maximum number of bytes of a machine's name in a file name. */
const MOST_OF_HOST = 40

/**
 * The name for the version of one machine when the other side has changed too:
 * `report (conflict from laptop, 2026-05-04 13-12-11).pdf`. `at` is in milliseconds since 1970; the name has
 * the local time.
 */
export function conflictName(name: string, host: string, at: number): string {
  const machine = shorten(cleanName(host.split('.')[0]!, true), MOST_OF_HOST)
  const date = new Date(at)
  const two = (number: number) => String(number).padStart(2, '0')
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(two).join('-')
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join('-')
  return withMark(name, `conflict from ${machine}, ${day} ${time}`)
}
