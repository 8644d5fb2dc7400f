import {safeJson} from '#lib/platform/sanitize.js'
import type {Layout, ListText, OutputFormat, Row} from './format.js'

const CLOSING = '\n  ]\n}'

/** One JSON document; a complete list is an array. */
export const jsonFormat: OutputFormat = {
  isStructured: true,
  record: document,
  records: document,
  list: listDocument,
  array,
}

function document(value: unknown): string {
  return `${safeJson(value, 2)}\n`
}

/**
 * One document: the list response of the service with the items of all pages. `end` completes it even
 * after a failed page. Prints nothing before the first page.
 */
function listDocument({list = 'items'}: Layout): ListText {
  const opening = `{\n  ${JSON.stringify(list)}: [`
  let isOpen = false
  return {
    rows(items) {
      const records = safeJson({[list]: items}, 2).slice(opening.length, -CLOSING.length)
      const start = isOpen ? ',' : opening
      isOpen = true
      return start + records
    },
    end(rest) {
      const fields = Object.entries(rest)
        .map(([name, value]) => `,${safeJson({[name]: value}, 2).slice(1, -2)}`)
        .join('')
      return `${isOpen ? '\n  ' : opening}]${fields}\n}\n`
    },
  }
}

/** One array whose elements arrive over time. */
function array(): ListText {
  let isOpen = false
  return {
    rows(records) {
      const elements = safeJson(records, 2).slice(1, -'\n]'.length)
      const start = isOpen ? ',' : '['
      isOpen = true
      return start + elements
    },
    end: () => (isOpen ? '\n]\n' : '[]\n'),
  }
}

/** One JSON document per line and record. */
export const ndjsonFormat: OutputFormat = {
  isStructured: true,
  record: line,
  records: lines,
  list: () => ({rows: lines}),
}

function line(record: Row): string {
  return `${safeJson(record)}\n`
}

function lines(records: readonly Row[]): string {
  return records.map(line).join('')
}
