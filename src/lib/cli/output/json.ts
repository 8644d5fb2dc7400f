import {safeJson} from './cell.js'
import type {OutputFormat, ListText} from './format.js'

const OPENING = '{\n  "items": ['
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
function listDocument(): ListText {
  let isOpen = false
  return {
    rows(items) {
      const list = safeJson({items}, 2).slice(OPENING.length, -CLOSING.length)
      const start = isOpen ? ',' : OPENING
      isOpen = true
      return start + list
    },
    end(rest) {
      const fields = Object.entries(rest)
        .map(([name, value]) => `,${safeJson({[name]: value}, 2).slice(1, -2)}`)
        .join('')
      return `${isOpen ? '\n  ' : OPENING}]${fields}\n}\n`
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
