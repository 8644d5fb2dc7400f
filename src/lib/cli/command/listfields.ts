import {FieldsError, parseFields} from '../../api/fields.js'
import {type Operation, resolve, responseSchema} from '../../api/operations.js'
import type {Schema} from '../../api/types.js'
import {shownPaths} from '../output/columns.js'
import {tablePaths} from '../output/tablecolumns.js'

/**
 * What `--fields` asks of a list: names of its records are enough, so that `id,title` means
 * `items(id,title)`. What is in neither is left to the service, which says what is wrong with it.
 */
export function listFields(operation: Operation, text: string): string {
  const {items, ...others} = propertiesOf(responseSchema(operation))
  const records = propertiesOf(items?.items)
  const names = namesIn(text)
  const isOfList = names.every(name => name === 'items' || Object.hasOwn(others, name))
  return !isOfList && names.some(name => Object.hasOwn(records, name)) ? `items(${text})` : text
}

/**
 * What to ask of a list of which only the columns are shown (reference: protocols.md, section 4):
 * these, a table's own for people, and what else its pages say. `undefined` where nobody knows them
 * beforehand.
 */
export function shownFields(operation: Operation, isForPeople = false): string | undefined {
  const {items, ...others} = propertiesOf(responseSchema(operation))
  const {kind} = propertiesOf(items?.items)
  const pathsOf = isForPeople ? tablePaths : shownPaths
  const paths = kind?.default === undefined ? undefined : pathsOf(kind.default)
  if (!paths) return undefined
  const rest = ['nextPageToken', 'newStartPageToken'].filter(name => Object.hasOwn(others, name))
  return [...rest, `items(${paths.map(path => path.replaceAll('.', '/')).join(',')})`].join(',')
}

function propertiesOf(schema: Schema | undefined): Readonly<Record<string, Schema>> {
  return (schema && resolve(schema).properties) ?? {}
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
