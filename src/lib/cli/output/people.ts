import {cell, shortTime} from '#lib/cli/terminal/cell.js'
import {sizeText} from '#lib/cli/terminal/units.js'

/** Fields that hold bytes. */
const SIZES = /^(fileSize|size|done|bytesUsed|quotaBytes\w*)$/

/** A field's value as people read it: times short and in their own zone, sizes with a unit. */
export function forPeople(value: unknown, name = ''): string {
  if (SIZES.test(name) && isNumber(value)) return sizeText(Number(value))
  if (Array.isArray(value)) return value.map(element => forPeople(element, name)).join(', ')
  return shortTime(cell(value))
}

/** Whether this is a whole number, or the text of one. */
export function isNumber(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value))
}
