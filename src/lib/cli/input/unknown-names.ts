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
import {isObject, quoteText, unknownValue} from '#lib/api/validate.js'
import {suggestionText} from '#lib/cli/output/suggestion.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {nearest, suggestionSentence} from '#lib/platform/nearest.js'
import {joinWithOr} from '#lib/platform/values.js'

/**
 * Checks before sending that a service might not do: misspelled names, which it ignores, and unsupported
 * values.
 */

/** Up to this many values are all listed in an error; for more, only the nearest one is suggested. */
const MAX_LISTED = 6

/** Throws `UsageError` for an unknown value of the parameter or field `name`; `label` names the flag or field. */
export function refuseUnknownValue(
  {document}: Operation,
  label: string,
  name: string,
  input: unknown,
): void {
  // Another or newer service may support more values.
  if (!isBuiltIn(document)) return
  const unknown = unknownValue(name, input)
  if (!unknown) return
  const {value, known} = unknown
  const isFew = known.length <= MAX_LISTED
  const all = known.join(', ')
  const {hint, meant} = suggestionText(
    'values',
    value,
    known,
    isFew ? undefined : `Expected one of: ${all}.`,
  )
  throw new UsageError(
    isFew
      ? `Invalid ${label}: must be ${joinWithOr(known)}, not ${quoteText(value)}.`
      : `Invalid ${label}: ${quoteText(value)} is not supported.`,
    hint,
    [],
    meant,
  )
}

/** `Did you mean "X"?` for the known word nearest to an unknown one; `otherwise` if none is near. */
export function didYouMean<T extends string | undefined>(
  word: string,
  known: readonly string[],
  otherwise: T,
): string | T {
  const meant = nearest(word, known)
  return meant === undefined ? otherwise : suggestionSentence(meant)
}

/** Throws `UsageError` for a body field, at any depth, that its schema does not have. */
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
        const otherwise = `Run \`drv api describe ${record}\` to see its fields.`
        const {hint, meant} = suggestionText('fields', name, Object.keys(properties), otherwise)
        throw new UsageError(
          `Unknown field "${path}" in --body: ${record} has no such field.`,
          hint,
          [],
          meant,
        )
      }
      if (at === '')
        refuseUnknownValue(operation, `"${path}" in --body`, `${record}.${name}`, inner)
      check(path, field, inner)
    }
  }
}

/** Throws `UsageError` for `--fields` with a syntax error or an unknown field. */
export function refuseUnknownSelection(operation: Operation, text: string): void {
  const schema = responseSchema(operation)
  try {
    const selection = parseFields(text)
    if (schema) checkFields(selection, schema, operation.document.schemas)
  } catch (error) {
    if (!(error instanceof FieldsError)) throw error
    const {selection, known = []} = error
    const record = operation.response?.$ref ?? ''
    const example = `Example: --fields '${selectionExample(operation)}'. Run \`drv api describe ${record}\` to see all fields.`
    const {hint, meant} = suggestionText('fields', selection, known, example)
    throw new UsageError(
      known.length === 0
        ? `Invalid --fields: syntax error at ${quoteText(selection)}.`
        : `Invalid --fields: the response has no field ${quoteText(selection)}.`,
      hint,
      [],
      meant,
    )
  }
}

/** Fields to prefer in examples, in this order. */
const EXAMPLE_FIELDS = ['id', 'title', 'name', 'key', 'value', 'role', 'emailAddress', 'user']

/** An example of `--fields` for an operation, such as `items(id,title),nextPageToken`. */
export function selectionExample(operation: Operation): string {
  const {schemas} = operation.document
  const properties = propertiesOf(responseSchema(operation), schemas)
  const records = listedSchema(operation)
  if (!records) return exampleFields(properties)
  const next = properties.nextPageToken ? ',nextPageToken' : ''
  return `${listField(operation)}(${exampleFields(propertiesOf(records, schemas))})${next}`
}

function exampleFields(properties: Readonly<Record<string, Schema>>): string {
  const names = Object.keys(properties)
  const known = EXAMPLE_FIELDS.filter(name => names.includes(name))
  return (known.length > 0 ? known : names.filter(name => name !== 'kind')).slice(0, 2).join(',')
}
