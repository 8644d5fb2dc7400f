import {FORMATS, isAbove, isDecimal, isFormat, LONGEST_NUMBER} from '#lib/api/document/formats.js'
import type {Schema} from '#lib/api/types.js'
import {parameterProblem, quoteText} from '#lib/api/validate.js'
import {
  below,
  type CheckedValue,
  flagShape,
  listShape,
  map,
  type Members,
  objectShape,
  oneOf,
  reportBreach,
  reportWarning,
  type Shape,
  textIn,
  textShape,
  textsIn,
  textThat,
} from './shape.js'

/** Schemas, parameters and properties (spec: description-format.md, "Schema object"; reference: sections 2 and 3). */

/** The name of an existing schema. */
export const referenceShape = textThat((value, spot) => {
  if (spot.facts.schemas.has(value)) return
  reportBreach(spot, 'ref-resolves', `The description has no schema ${quoteText(value)}.`)
})

const requiringMethod = textThat((value, spot) => {
  if (spot.facts.methods.has(value)) return
  reportBreach(spot, 'required-by', `The description has no method ${quoteText(value)}.`)
})

const bound = textThat((value, spot) => {
  if (!isDecimal(value))
    reportBreach(spot, 'bound', `This must be a number, not ${quoteText(value)}.`)
})

const pattern = textThat((value, spot) => {
  if (compiles(value)) return
  // Inline flags and possessive quantifiers: allowed by the format, but not in JavaScript.
  const isJava = compiles(value.replace(/\(\?[a-z]+\)/gi, '').replace(/([*+?}])\+/g, '$1'))
  if (isJava)
    reportWarning(spot, 'pattern', 'Uses Java syntax; drv leaves this check to the service.')
  else reportBreach(spot, 'pattern', `Invalid regular expression: ${quoteText(value)}.`)
})

// Called later, because schemas contain schemas.
const inner: Shape = (value, spot) => schema(value, spot)

const fields = {
  id: textShape,
  type: oneOf('string', 'integer', 'number', 'boolean', 'object', 'array', 'any', 'null'),
  $ref: referenceShape,
  description: textShape,
  default: textShape,
  required: flagShape,
  deprecated: flagShape,
  readOnly: flagShape,
  format: textShape,
  pattern,
  minimum: bound,
  maximum: bound,
  enum: listShape(textShape),
  enumDescriptions: listShape(textShape),
  enumDeprecated: listShape(flagShape),
  repeated: flagShape,
  location: oneOf('query', 'path'),
  properties: map(inner),
  additionalProperties: inner,
  items: inner,
  annotations: objectShape({required: listShape(requiringMethod)}, {expected: ['required']}),
  variant: objectShape({
    discriminant: textShape,
    map: listShape(objectShape({type_value: textShape, $ref: referenceShape})),
  }),
}

const rules = [formatFits, enumWords, boundsInOrder, defaultFits]

const schema = objectShape(fields, {rules})

/** A parameter of one method or of all methods. */
export const parameter = objectShape(fields, {needed: ['location'], rules})

/** A top-level schema. */
export const topSchema = objectShape(fields, {expected: ['id'], rules: [ownName, ...rules]})

function ownName({id}: Members, spot: CheckedValue): void {
  if (typeof id !== 'string' || id === spot.key) return
  const words = `The id is ${quoteText(id)}, but the schema is named ${quoteText(spot.key)}.`
  reportBreach(below(spot, 'id'), 'schema-id', words)
}

function formatFits({type, format}: Members, spot: CheckedValue): void {
  if (typeof format !== 'string') return
  const at = below(spot, 'format')
  if (!isFormat(format)) {
    return reportWarning(
      at,
      'format',
      `Unknown format ${quoteText(format)}; clients use only the type.`,
    )
  }
  const types = FORMATS[format]!
  if (typeof type !== 'string' || types.includes(type)) return
  reportBreach(
    at,
    'format',
    `The format ${format} requires type ${types.join(' or ')}, not ${quoteText(type)}.`,
  )
}

/** Lists that must have one entry for each value of the enum. */
function enumWords(members: Members, spot: CheckedValue): void {
  const values = Array.isArray(members.enum) ? members.enum.length : 0
  for (const name of ['enumDescriptions', 'enumDeprecated']) {
    const words = members[name]
    if (!Array.isArray(words) || words.length === values) continue
    const tell = words.length > values ? reportBreach : reportWarning
    tell(below(spot, name), 'enum-words', `Has ${words.length} entries, but enum has ${values}.`)
  }
}

function boundsInOrder({minimum, maximum}: Members, spot: CheckedValue): void {
  const [low, high] = [textIn(minimum), textIn(maximum)]
  if (low === undefined || high === undefined || !isAbove(low, high)) return
  reportBreach(below(spot, 'maximum'), 'bound', `The maximum ${high} is below the minimum ${low}.`)
}

function defaultFits(members: Members, spot: CheckedValue): void {
  const value = textIn(members.default)
  if (value === undefined) return
  const problem = defaultProblem(value, members)
  if (problem !== undefined) {
    reportBreach(below(spot, 'default'), 'default', `The default ${problem}.`)
  }
}

/** Why a default is invalid, to follow "The default"; ignores the pattern, which could run forever. */
function defaultProblem(value: string, members: Members): string | undefined {
  const [minimum, maximum] = [textIn(members.minimum), textIn(members.maximum)]
  const isNumeric = ['integer', 'number'].includes(String(members.type))
  // Do not compute numbers with a million digits.
  if (isNumeric && value.length > LONGEST_NUMBER) return `must be a number, not ${quoteText(value)}`
  const schema = {
    type: textIn(members.type) as Schema['type'],
    format: value.length > LONGEST_NUMBER ? undefined : textIn(members.format),
    ...(Array.isArray(members.enum) && {enum: textsIn(members.enum)}),
  }
  const problem = parameterProblem('', schema, value)
  if (problem) return problem.text
  if (minimum !== undefined && isAbove(minimum, value))
    return `${value} is below the minimum ${minimum}`
  if (maximum !== undefined && isAbove(value, maximum))
    return `${value} is above the maximum ${maximum}`
  return undefined
}

function compiles(expression: string): boolean {
  try {
    return Boolean(new RegExp(expression))
  } catch {
    return false
  }
}
