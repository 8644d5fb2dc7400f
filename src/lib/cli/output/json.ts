import {safeJson} from '#lib/platform/sanitize.js'
import type {Layout, ListText, OutputFormat, Row} from './format.js'

const CLOSING = '\n  ]\n}'

/** One JSON document; a list that is there as a whole is an array. */
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
 * One document: the service's own list record with the items of all pages. It is closed properly
 * even when a later page fails, as long as `end` is called. Nothing is written before.
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

/** One array, whose elements still arrive. */
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

/** A record a line, each a JSON document. */
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
