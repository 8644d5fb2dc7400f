import {escapeUnprintable, needsEscapes} from '#lib/platform/sanitize.js'
import type {ListText, OutputFormat, Row} from './format.js'

/**
 * Texts that some reader refuses or changes where they stand without quotes: one line with a tab
 * (PyYAML), and the sign for a default value (version 1.1).
 */
const QUOTED = /^=$|^[^\n]*\t[^\n]*$/

/**
 * YAML that readers of version 1.2 and of 1.1 understand alike: a record is a document, and a list
 * one document with a sequence, to which each page adds its records.
 */
export const yamlFormat: OutputFormat = {
  isStructured: true,
  record: document,
  records: document,
  list: listDocument,
}

async function document(value: Row | readonly Row[]): Promise<string> {
  const {Document, visit} = await import('yaml')
  // What older readers take for something else than a text, such as `yes`, stands in quotes.
  const made = new Document(value, {compat: 'yaml-1.1', aliasDuplicateObjects: false})
  visit(made, {
    Scalar(_, node) {
      const {value} = node
      if (typeof value !== 'string') return
      if (needsEscapes(value) || QUOTED.test(value)) node.type = 'QUOTE_DOUBLE'
    },
  })
  return escapeUnprintable(made.toString({lineWidth: 0}))
}

function listDocument(): ListText {
  let isEmpty = true
  return {
    rows(records) {
      isEmpty = false
      return document(records)
    },
    end: () => (isEmpty ? document([]) : ''),
  }
}
