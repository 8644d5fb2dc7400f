import {isObject} from '#lib/api/validate.js'
import {cell} from '#lib/cli/terminal/cell.js'
import {colorize} from '#lib/cli/terminal/color.js'
import {GAP} from '#lib/cli/terminal/column-widths.js'
import {hanging, textOfLines} from '#lib/cli/terminal/layout.js'
import {displayWidth, fit, isolated, wrap} from '#lib/cli/terminal/width.js'
import {NOISE, recordLines} from './columns.js'
import type {Layout, Row} from './format.js'
import {isNumber, peopleText} from './people.js'

/** A line of a sheet; a name without a value is the heading of the lines below it. */
type Line = readonly [name: string, value: string]

/** The fields shown first; the rest keeps the order of the service. */
const FIRST = ['title', 'name', 'path', 'id', 'mimeType', 'fileSize', 'modifiedDate']

/** Formats a single record as lines of names and values; omits empty values. */
export function sheet(record: Row, {width, columns, color}: Layout): string {
  const fields = recordLines(record, columns)
  const lines = (columns ? fields : inOrder(fields)).flatMap(([name, value]) =>
    linesOf(name, value),
  )
  const widest = lines.reduce((most, [name]) => Math.max(most, displayWidth(name)), 0)
  // A few long names must not narrow all values.
  const names = Math.min(widest, Math.max(12, Math.floor(width * 0.4)))
  const column = names + GAP
  const all = lines.flatMap(([name, value]) => {
    const head = fit(isolated(name), width)
    const shown = color ? colorize(head, 'header') : head
    return hanging(`${shown}  `, wrap(value, Math.max(1, width - column)).map(isolated), column)
  })
  return textOfLines(all)
}

function inOrder(fields: ReadonlyArray<readonly [string, unknown]>) {
  const place = (name: string) => {
    const index = FIRST.indexOf(name)
    return index < 0 ? FIRST.length : index
  }
  return [...fields].sort(([a], [b]) => place(a) - place(b))
}

/** The lines of a field; nested records are indented below its name. */
function linesOf(name: string, value: unknown, indent = ''): Line[] {
  const head = indent + cell(name)
  if (Array.isArray(value) && value.some(isObject)) {
    return value.flatMap((element, index) =>
      isObject(element)
        ? linesOf(value.length === 1 ? name : `${name} ${index + 1}`, element, indent)
        : linesOf(name, element, indent),
    )
  }
  if (!isObject(value)) {
    const text = valueText(name, value)
    return text === '' ? [] : [[head, text]]
  }
  const person = personText(value)
  if (person !== undefined) return [[head, person]]
  const entries = Object.entries(value).filter(([key]) => !NOISE.has(key))
  if (entries.length > 0 && entries.every(([, on]) => typeof on === 'boolean')) {
    const on = entries.flatMap(([key, isOn]) => (isOn === true ? [key] : []))
    return [[head, on.map(cell).join(', ') || 'none']]
  }
  const below = entries.flatMap(([key, inner]) => linesOf(key, inner, `${indent}  `))
  return below.length > 0 ? [[head, ''], ...below] : []
}

/** `Ada Lovelace <ada@example.org>`; `undefined` if the value is not a person. */
function personText({displayName, emailAddress}: Row): string | undefined {
  if (typeof displayName !== 'string') return undefined
  return cell(typeof emailAddress === 'string' ? `${displayName} <${emailAddress}>` : displayName)
}

function valueText(name: string, value: unknown): string {
  const text = peopleText(value, name)
  return isNumber(value) && text.endsWith('iB') ? `${text} (${String(value)} bytes)` : text
}
