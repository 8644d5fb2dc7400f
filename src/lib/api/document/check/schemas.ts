import {FORMATS, isAbove, isDecimal, isFormat, LONGEST_NUMBER} from '#lib/api/document/formats.js'
import type {Schema} from '#lib/api/types.js'
import {parameterProblem, shown} from '#lib/api/validate.js'
import {
  below,
  breach,
  flag,
  list,
  map,
  type Members,
  object,
  oneOf,
  remark,
  type Shape,
  type Spot,
  text,
  textIn,
  textsIn,
  textThat,
} from './shape.js'

/** Schemas, parameters and properties (spec: description-format.md, "Schema object"; reference: sections 2 and 3). */

/** The name of an existing schema. */
export const reference = textThat((value, spot) => {
  if (spot.facts.schemas.has(value)) return
  breach(spot, 'ref-resolves', `The document has no schema ${shown(value)}.`)
})

const requiringMethod = textThat((value, spot) => {
  if (spot.facts.methods.has(value)) return
  breach(spot, 'required-by', `The document has no method ${shown(value)}.`)
})

const bound = textThat((value, spot) => {
  if (!isDecimal(value)) breach(spot, 'bound', `This must be a number, not ${shown(value)}.`)
})

const pattern = textThat((value, spot) => {
  if (compiles(value)) return
  // Inline flags and possessive quantifiers: allowed by the format, but not in JavaScript.
  const isJava = compiles(value.replace(/\(\?[a-z]+\)/gi, '').replace(/([*+?}])\+/g, '$1'))
  if (isJava) remark(spot, 'pattern', 'Uses Java syntax; drv leaves this check to the service.')
  else breach(spot, 'pattern', `Invalid regular expression: ${shown(value)}.`)
})

// Called later, because schemas contain schemas.
const inner: Shape = (value, spot) => schema(value, spot)

const fields = {
  id: text,
  type: oneOf('string', 'integer', 'number', 'boolean', 'object', 'array', 'any', 'null'),
  $ref: reference,
  description: text,
  default: text,
  required: flag,
  deprecated: flag,
  readOnly: flag,
  format: text,
  pattern,
  minimum: bound,
  maximum: bound,
  enum: list(text),
  enumDescriptions: list(text),
  enumDeprecated: list(flag),
  repeated: flag,
  location: oneOf('query', 'path'),
  properties: map(inner),
  additionalProperties: inner,
  items: inner,
  annotations: object({required: list(requiringMethod)}, {expected: ['required']}),
  variant: object({discriminant: text, map: list(object({type_value: text, $ref: reference}))}),
}

const rules = [formatFits, enumWords, boundsInOrder, defaultFits]

const schema = object(fields, {rules})

/** A parameter of one method or of all methods. */
export const parameter = object(fields, {needed: ['location'], rules})

/** A top-level schema. */
export const topSchema = object(fields, {expected: ['id'], rules: [ownName, ...rules]})

function ownName({id}: Members, spot: Spot): void {
  if (typeof id !== 'string' || id === spot.key) return
  const words = `The id is ${shown(id)}, but the schema is named ${shown(spot.key)}.`
  breach(below(spot, 'id'), 'schema-id', words)
}

function formatFits({type, format}: Members, spot: Spot): void {
  if (typeof format !== 'string') return
  const at = below(spot, 'format')
  if (!isFormat(format)) {
    return remark(at, 'format', `Unknown format ${shown(format)}; readers use only the type.`)
  }
  const types = FORMATS[format]!
  if (typeof type !== 'string' || types.includes(type)) return
  breach(
    at,
    'format',
    `The format ${format} requires type ${types.join(' or ')}, not ${shown(type)}.`,
  )
}

/** Lists that must have one entry for each value of the enum. */
function enumWords(members: Members, spot: Spot): void {
  const values = Array.isArray(members.enum) ? members.enum.length : 0
  for (const name of ['enumDescriptions', 'enumDeprecated']) {
    const words = members[name]
    if (!Array.isArray(words) || words.length === values) continue
    const tell = words.length > values ? breach : remark
    tell(below(spot, name), 'enum-words', `Has ${words.length} entries, but enum has ${values}.`)
  }
}

function boundsInOrder({minimum, maximum}: Members, spot: Spot): void {
  const [low, high] = [textIn(minimum), textIn(maximum)]
  if (low === undefined || high === undefined || !isAbove(low, high)) return
  breach(below(spot, 'maximum'), 'bound', `The maximum ${high} is below the minimum ${low}.`)
}

function defaultFits(members: Members, spot: Spot): void {
  const value = textIn(members.default)
  if (value === undefined) return
  const problem = defaultProblem(value, members)
  if (problem !== undefined) {
    breach(below(spot, 'default'), 'default', `The default ${problem}.`)
  }
}

/** Why a default is invalid, to follow "The default"; ignores the pattern, which could run forever. */
function defaultProblem(value: string, members: Members): string | undefined {
  const [minimum, maximum] = [textIn(members.minimum), textIn(members.maximum)]
  const isNumeric = ['integer', 'number'].includes(String(members.type))
  // Do not compute numbers with a million digits.
  if (isNumeric && value.length > LONGEST_NUMBER) return `must be a number, not ${shown(value)}`
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
