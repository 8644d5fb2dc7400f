import type {Interfaces} from '@oclif/core'
import {type Operation, pathParameters, requestSchema, resolve} from '#lib/api/operations.js'
import type {Schema} from '#lib/api/types.js'
import {isObject, parameterProblem, parameterValue, quoteText} from '#lib/api/validate.js'
import {type FlagValues, matchesPattern, type Parsed} from '#lib/cli/input/call-input.js'
import {argumentName, operationFlags} from '#lib/cli/input/parameter-flags.js'
import {suggestionText} from '#lib/cli/output/suggestion.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {kebabCase, ownProperty, quoteJson} from '#lib/platform/values.js'
import {namingFields} from './record-names.js'
import type {ReadRecord} from './records.js'

/** A command whose input a record can set: its operation, and its own arguments and flags. */
export interface RecordCommand {
  readonly operation: Operation
  readonly args: Interfaces.ArgInput
  readonly flags: Interfaces.FlagInput
}

/** The argument, flag or body field that a record's field sets. */
type Target =
  | {readonly in: 'args'; readonly name: string}
  | {readonly in: 'flags'; readonly name: string}
  | {readonly in: 'body'; readonly path: readonly string[]; readonly schema: Schema}

/** A command's own flags that apply to one item, not to the whole run. */
const ITEM_FLAGS = ['parent', 'output', 'force', 'if-exists']

/**
 * The parsed input with values from a record. Its fields set the arguments, flags and body fields of the
 * same name, in camel case or kebab case, with dots for nested fields. The command line overrides the
 * record. Throws `UsageError` for an unknown name or an invalid value.
 */
export function applyRecord(
  command: RecordCommand,
  {args, flags, document = {}}: Parsed,
  {record, isRow}: Pick<ReadRecord, 'record' | 'isRow'>,
): Parsed {
  const all: {args: FlagValues; flags: FlagValues} = {args, flags}
  let body: FlagValues = {}
  for (const [name, value] of Object.entries(record)) {
    if (isRow && value === '') continue
    const target = targetOf(command, name, {args, record})
    if (!target) throw unknownName(command, name)
    if (target.in === 'body') {
      body = deepMerge(body, nested(target.path, bodyValue(name, target.schema, value, isRow)))
    } else if (value !== null && ownProperty(all[target.in], target.name) === undefined) {
      const checkedValue =
        target.in === 'args' ? textOf(name, value) : flagValue(command, target.name, name, value)
      all[target.in] = {...all[target.in], [target.name]: checkedValue}
    }
  }
  return {...all, document: deepMerge(body, document)}
}

/** Throws `UsageError` for an unknown column name; called with a table's header. */
export function refuseUnknownNames(
  command: RecordCommand,
  {args}: Pick<Parsed, 'args'>,
  names: readonly string[],
): void {
  const record = Object.fromEntries(names.map(name => [name, '']))
  const unknown = names.find(name => !targetOf(command, name, {args, record}))
  if (unknown !== undefined) throw unknownName(command, unknown)
}

function targetOf(
  {operation, args: ownArgs, flags: ownFlags}: RecordCommand,
  name: string,
  input: {readonly args: FlagValues; readonly record: FlagValues},
): Target | undefined {
  const kebab = kebabCase(name)
  const parameters = pathParameters(operation)
  const parameter = parameters.find(known => name === known || kebab === kebabCase(known))
  if (parameter) return {in: 'args', name: argumentName(parameter)}
  // The field that holds the item's ID in records of responses, such as `id`.
  const last = parameters.at(-1)
  const isUnset =
    last !== undefined &&
    input.args[argumentName(last)] === undefined &&
    !Object.keys(input.record).some(known => kebabCase(known) === kebabCase(last))
  const isOwn = Object.hasOwn(ownArgs, name)
  if (isUnset && !isOwn && namingFields(last).includes(name)) {
    return {in: 'args', name: argumentName(last)}
  }
  if (isOwn) return {in: 'args', name}
  // Nested fields go into the body, so that flags of the command line override them.
  const flags = operationFlags(operation).filter(({within}) => within === undefined)
  const flag =
    flags.find(known => name === known.flag) ??
    flags.find(known => name === known.name || kebab === known.flag)
  if (flag) return {in: 'flags', name: flag.flag}
  if (ITEM_FLAGS.includes(kebab) && Object.hasOwn(ownFlags, kebab))
    return {in: 'flags', name: kebab}
  const path = name.split('.')
  const schema = schemaAt(operation, path)
  return schema && {in: 'body', path, schema}
}

/** The schema of a body field; `undefined` for an unknown field. */
function schemaAt(operation: Operation, path: readonly string[]): Schema | undefined {
  const {schemas} = operation.document
  let at = requestSchema(operation)
  for (const name of path) {
    const {properties = {}, additionalProperties} = at ?? {}
    const next = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
    at = next && resolve(next, schemas)
  }
  return at
}

function unknownName({operation, args, flags}: RecordCommand, name: string): UsageError {
  const known = [
    ...pathParameters(operation),
    ...Object.keys(args).filter(name => !name.includes('_')),
    ...operationFlags(operation).map(flag => flag.name),
    ...ITEM_FLAGS.filter(name => Object.hasOwn(flags, name)),
    ...Object.keys(requestSchema(operation)?.properties ?? {}),
  ]
  return new UsageError(
    `Unknown field ${quoteText(name)}: this command has no such argument, flag or body field.`,
    suggestionText('fields', name, known, `Expected one of: ${known.join(', ')}.`).hint,
  )
}

function textOf(name: string, value: unknown): string {
  if (['string', 'number', 'boolean'].includes(typeof value)) return String(value)
  throw new UsageError(`Invalid ${quoteText(name)}: must be a string, not ${quoteJson(value)}.`)
}

/** The value of a flag; `name` is the record's field. */
function flagValue(
  {operation, flags}: RecordCommand,
  option: string,
  name: string,
  value: unknown,
) {
  const described = operationFlags(operation).find(({flag}) => flag === option)
  const isBoolean = described
    ? described.schema.type === 'boolean'
    : ownProperty(flags, option)?.type === 'boolean'
  if (isBoolean) {
    const text = textOf(name, value).toLowerCase()
    if (text === 'true' || text === 'false') return text === 'true'
    throw new UsageError(
      `Invalid ${quoteText(name)}: must be true or false, not ${quoteText(text)}.`,
    )
  }
  if (described?.repeated) return [value].flat().map(one => textOf(name, one))
  return textOf(name, value)
}

/** The value of a body field; in a table row it is parsed from text as its schema requires. */
function bodyValue(name: string, schema: Schema, value: unknown, isRow: boolean): unknown {
  if (!isRow) return value
  if (schema.type === 'object' || schema.type === 'array') {
    try {
      return JSON.parse(String(value))
    } catch {
      throw new UsageError(
        `Invalid ${quoteText(name)}: must be JSON, because the field is an object or a list.`,
      )
    }
  }
  const problem = parameterProblem(name, schema, String(value), matchesPattern)
  if (problem) throw new UsageError(`Invalid ${quoteText(name)}: ${problem.text}.`)
  return parameterValue(schema, String(value))
}

function nested(path: readonly string[], value: unknown): FlagValues {
  return path.reduceRight<unknown>((inner, name) => ({[name]: inner}), value) as FlagValues
}

/** A deep merge of two objects; `overrides` wins. */
export function deepMerge(base: FlagValues, overrides: FlagValues): FlagValues {
  const both = new Map(Object.entries(base))
  for (const [name, value] of Object.entries(overrides)) {
    const current = both.get(name)
    both.set(name, isObject(current) && isObject(value) ? deepMerge(current, value) : value)
  }
  return Object.fromEntries(both)
}
