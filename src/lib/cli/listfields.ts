import {FieldsError, parseFields} from '../api/fields.js'
import {type Operation, resolve, responseSchema} from '../api/operations.js'

/**
 * What `--fields` asks of a list: names of its records are enough, so that `id,title` means
 * `items(id,title)`. What is in neither is left to the service, which says what is wrong with it.
 */
export function listFields(operation: Operation, text: string): string {
  const list = responseSchema(operation)
  const {items, ...others} = (list && resolve(list).properties) ?? {}
  const records = (items?.items && resolve(items.items).properties) ?? {}
  const names = namesIn(text)
  const isOfList = names.every(name => name === 'items' || Object.hasOwn(others, name))
  return !isOfList && names.some(name => Object.hasOwn(records, name)) ? `items(${text})` : text
}

/** The names that a selector begins with; none where it cannot be read. */
function namesIn(text: string): string[] {
  try {
    return Object.keys(parseFields(text))
  } catch (error) {
    if (error instanceof FieldsError) return []
    throw error
  }
}
