import {checkFields, FieldsError, parseFields} from '#lib/api/fields.js'
import {
  isBuiltIn,
  listedSchema,
  listField,
  type Operation,
  propertiesOf,
  requestSchema,
  resolve,
  responseSchema,
} from '#lib/api/operations.js'
import type {Schema} from '#lib/api/types.js'
import {isObject, shown, unknownValue} from '#lib/api/validate.js'
import {suggestion} from '#lib/cli/output/suggestion.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {nearest} from '#lib/platform/nearest.js'

/**
 * What is refused before it is sent although a service might let it pass: misspelt names, which it
 * ignores, and values that it has no use for.
 */

/** So many values are told all; of more the nearest one is. */
const FEW = 6

/** Throws `UsageError` for a value that is not known under a name; `where` names the flag or field. */
export function refuseUnknownValue(
  {document}: Operation,
  where: string,
  name: string,
  given: unknown,
): void {
  // Another service, or a newer one, may know more.
  if (!isBuiltIn(document)) return
  const unknown = unknownValue(name, given)
  if (!unknown) return
  const {value, known} = unknown
  const isFew = known.length <= FEW
  const all = known.join(', ')
  const {hint, meant} = suggestion('values', value, known, isFew ? undefined : `It may be ${all}.`)
  throw new UsageError(
    isFew
      ? `${where} must be ${known.length > 1 ? 'one of ' : ''}${all}, not ${shown(value)}.`
      : `${where} has no value ${shown(value)}.`,
    hint,
    [],
    meant,
  )
}

/** The hint for a word that is none of those known: the nearest of them, or what to say without one. */
export function didYouMean<T extends string | undefined>(
  word: string,
  known: readonly string[],
  otherwise: T,
): string | T {
  const meant = nearest(word, known)
  return meant === undefined ? otherwise : `Did you mean ${meant}?`
}

/** Throws `UsageError` for a field of a body, at any depth, that its record does not have. */
export function refuseUnknownFields(operation: Operation, body: unknown): void {
  const record = operation.request?.$ref ?? ''
  const {schemas} = operation.document
  check('', requestSchema(operation) ?? {}, body)

  function check(at: string, described: Schema, value: unknown): void {
    const {properties, additionalProperties, items} = resolve(described, schemas)
    if (Array.isArray(value)) {
      for (const [index, inner] of value.entries()) check(`${at}[${index}]`, items ?? {}, inner)
    }
    if (!isObject(value) || !properties) return
    for (const [name, inner] of Object.entries(value)) {
      const path = at === '' ? name : `${at}.${name}`
      const field = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
      if (!field) {
        const otherwise = `\`drv api describe ${record}\` shows them.`
        const {hint, meant} = suggestion('fields', name, Object.keys(properties), otherwise)
        throw new UsageError(`"${path}" in --body is no field of a ${record}.`, hint, [], meant)
      }
      if (at === '')
        refuseUnknownValue(operation, `"${path}" in --body`, `${record}.${name}`, inner)
      check(path, field, inner)
    }
  }
}

/** Throws `UsageError` for a selection that names what the answer does not have, or cannot be read. */
export function refuseUnknownSelection(operation: Operation, text: string): void {
  const schema = responseSchema(operation)
  try {
    const selection = parseFields(text)
    if (schema) checkFields(selection, schema, operation.document.schemas)
  } catch (error) {
    if (!(error instanceof FieldsError)) throw error
    const {selection, known = []} = error
    const record = operation.response?.$ref ?? ''
    const example = `An example: --fields '${selectionExample(operation)}'; \`drv api describe ${record}\` shows all.`
    const {hint, meant} = suggestion('fields', selection, known, example)
    throw new UsageError(
      known.length === 0
        ? `--fields cannot be read at ${shown(selection)}.`
        : `--fields names ${shown(selection)}, which is not in the answer.`,
      hint,
      [],
      meant,
    )
  }
}

/** What people ask for first of a record, in this order. */
const TELLING = ['id', 'title', 'name', 'key', 'value', 'role', 'emailAddress', 'user']

/** A selection that fits the answer of an operation: `items(id,title),nextPageToken`. */
export function selectionExample(operation: Operation): string {
  const {schemas} = operation.document
  const properties = propertiesOf(responseSchema(operation), schemas)
  const records = listedSchema(operation)
  if (!records) return someOf(properties)
  const next = properties.nextPageToken ? ',nextPageToken' : ''
  return `${listField(operation)}(${someOf(propertiesOf(records, schemas))})${next}`
}

function someOf(properties: Readonly<Record<string, Schema>>): string {
  const names = Object.keys(properties)
  const known = TELLING.filter(name => names.includes(name))
  return (known.length > 0 ? known : names.filter(name => name !== 'kind')).slice(0, 2).join(',')
}
