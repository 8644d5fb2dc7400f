import {isObject} from '#lib/api/validate.js'
import {cell} from '#lib/cli/terminal/cell.js'
import {toned} from '#lib/cli/terminal/color.js'
import {GAP} from '#lib/cli/terminal/column-widths.js'
import {hanging, textOfLines} from '#lib/cli/terminal/layout.js'
import {displayWidth, fit, isolated, wrap} from '#lib/cli/terminal/width.js'
import {NOISE, recordLines} from './columns.js'
import type {Layout, Row} from './format.js'
import {forPeople, isNumber} from './people.js'

/** A line of a sheet before it is laid out; a name without a value heads the lines below it. */
type Line = readonly [name: string, value: string]

/** What names a record, first; the rest stands as the service tells it. */
const FIRST = ['title', 'name', 'path', 'id', 'mimeType', 'fileSize', 'modifiedDate']

/** A single record as lines of names and values, without what is empty. */
export function sheet(record: Row, {width, columns, color}: Layout): string {
  const fields = recordLines(record, columns)
  const lines = (columns ? fields : inOrder(fields)).flatMap(([name, value]) => told(name, value))
  const widest = lines.reduce((most, [name]) => Math.max(most, displayWidth(name)), 0)
  // A few long names must not take the room of all values.
  const names = Math.min(widest, Math.max(12, Math.floor(width * 0.4)))
  const column = names + GAP
  const all = lines.flatMap(([name, value]) => {
    const head = fit(isolated(name), width)
    const shown = color ? toned(head, 'header') : head
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

/** What a sheet tells of a field: records in it on lines of their own, indented below its name. */
function told(name: string, value: unknown, indent = ''): Line[] {
  const head = indent + cell(name)
  if (Array.isArray(value) && value.some(isObject)) {
    return value.flatMap((element, index) =>
      isObject(element)
        ? told(value.length === 1 ? name : `${name} ${index + 1}`, element, indent)
        : told(name, element, indent),
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
  const below = entries.flatMap(([key, inner]) => told(key, inner, `${indent}  `))
  return below.length > 0 ? [[head, ''], ...below] : []
}

/** `Ada Lovelace <ada@example.org>`; `undefined` for what is no person. */
function personText({displayName, emailAddress}: Row): string | undefined {
  if (typeof displayName !== 'string') return undefined
  return cell(typeof emailAddress === 'string' ? `${displayName} <${emailAddress}>` : displayName)
}

function valueText(name: string, value: unknown): string {
  const text = forPeople(value, name)
  return isNumber(value) && text.endsWith('iB') ? `${text} (${String(value)} bytes)` : text
}
