import {escapeUnprintable, needsEscapes} from '#lib/platform/sanitize.js'
import type {ListText, OutputFormat, Row} from './format.js'

/**
 * Texts that some readers reject or change without quotes: a line with a tab (PyYAML), and the default
 * value sign (version 1.1).
 */
const QUOTED = /^=$|^[^\n]*\t[^\n]*$/

/**
 * YAML that means the same in versions 1.1 and 1.2. A record is a document; a list is one document with a
 * sequence, to which each page adds records.
 */
export const yamlFormat: OutputFormat = {
  isStructured: true,
  record: yamlDocument,
  records: yamlDocument,
  list: listDocument,
}

/** A value as a YAML document. */
export async function yamlDocument(value: Row | readonly Row[]): Promise<string> {
  const {Document, visit} = await import('yaml')
  // Quote words that older readers do not read as strings, such as `yes`.
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
      return yamlDocument(records)
    },
    end: () => (isEmpty ? yamlDocument([]) : ''),
  }
}
