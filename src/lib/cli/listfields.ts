import {checkFields, FieldsError, parseFields} from '../api/fields.js'
import {type Operation, resolve, responseSchema} from '../api/operations.js'
import type {Schema} from '../api/types.js'

/**
 * What `--fields` asks of a list: names of its records are enough, so that `id,title` means
 * `items(id,title)`. What is neither is left to the service, which says what is wrong with it.
 */
export function listFields(operation: Operation, text: string): string {
  const list = responseSchema(operation)
  const records = list && resolve(list).properties?.items
  return list && records && !fits(text, list) && fits(text, records) ? `items(${text})` : text
}

function fits(text: string, schema: Schema): boolean {
  try {
    checkFields(parseFields(text), schema)
    return true
  } catch (error) {
    if (error instanceof FieldsError) return false
    throw error
  }
}
