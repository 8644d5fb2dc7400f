import type {Interfaces} from '@oclif/core'
import {type Operation, pathParameters, requestSchema, resolve} from '#lib/api/operations.js'
import type {Schema} from '#lib/api/types.js'
import {isObject, parameterProblem, parameterValue, shown} from '#lib/api/validate.js'
import {matchesPattern, type Parsed, type Values} from '#lib/cli/input/call-input.js'
import {argumentName, operationFlags} from '#lib/cli/input/parameter-flags.js'
import {suggestion} from '#lib/cli/output/suggestion.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {kebabCase, own} from '#lib/platform/values.js'
import {namingFields} from './record-names.js'
import type {ReadRecord} from './records.js'

/** What a command line can be filled with: the operation, and what the command has besides. */
export interface Fillable {
  readonly operation: Operation
  readonly args: Interfaces.ArgInput
  readonly flags: Interfaces.FlagInput
}

/** Where the value of a record's field goes. */
type Target =
  | {readonly in: 'args'; readonly name: string}
  | {readonly in: 'flags'; readonly name: string}
  | {readonly in: 'body'; readonly path: readonly string[]; readonly schema: Schema}

/** Flags of a command of its own that say something about one thing, rather than about the run. */
const OF_ONE = ['parent', 'output', 'force', 'if-exists']

/**
 * Fills a command line with a record: arguments, flags and fields of the body of the same name, in
 * camel case or in kebab case, those within others with dots between. What stands on the command line
 * goes before. Throws `UsageError` for a name that nothing has, and for a value that cannot be its.
 */
export function filled(
  fillable: Fillable,
  {args, flags, document = {}}: Parsed,
  {record, isRow}: Pick<ReadRecord, 'record' | 'isRow'>,
): Parsed {
  const all: {args: Values; flags: Values} = {args, flags}
  let body: Values = {}
  for (const [name, value] of Object.entries(record)) {
    if (isRow && value === '') continue
    const target = targetOf(fillable, name, {args, record})
    if (!target) throw unknownName(fillable, name)
    if (target.in === 'body') {
      body = merged(body, nested(target.path, bodyValue(name, target.schema, value, isRow)))
    } else if (value !== null && own(all[target.in], target.name) === undefined) {
      const checked =
        target.in === 'args' ? textOf(name, value) : flagValue(fillable, target.name, name, value)
      all[target.in] = {...all[target.in], [target.name]: checked}
    }
  }
  return {...all, document: merged(body, document)}
}

/** Throws `UsageError` for a name that nothing has; for a table's header, before its first row. */
export function refuseUnknownNames(
  fillable: Fillable,
  {args}: Pick<Parsed, 'args'>,
  names: readonly string[],
): void {
  const record = Object.fromEntries(names.map(name => [name, '']))
  const unknown = names.find(name => !targetOf(fillable, name, {args, record}))
  if (unknown !== undefined) throw unknownName(fillable, unknown)
}

function targetOf(
  {operation, args: ownArgs, flags: ownFlags}: Fillable,
  name: string,
  given: {readonly args: Values; readonly record: Values},
): Target | undefined {
  const kebab = kebabCase(name)
  const parameters = pathParameters(operation)
  const parameter = parameters.find(known => name === known || kebab === kebabCase(known))
  if (parameter) return {in: 'args', name: argumentName(parameter)}
  // What names the thing acted on, as records of answers call it.
  const last = parameters.at(-1)
  const isOpen =
    last !== undefined &&
    given.args[argumentName(last)] === undefined &&
    !Object.keys(given.record).some(known => kebabCase(known) === kebabCase(last))
  const isOwn = Object.hasOwn(ownArgs, name)
  if (isOpen && !isOwn && namingFields(last).includes(name)) {
    return {in: 'args', name: argumentName(last)}
  }
  if (isOwn) return {in: 'args', name}
  // Fields within others go into the body, over which the flags of the command line are laid.
  const flags = operationFlags(operation).filter(({within}) => within === undefined)
  const flag =
    flags.find(known => name === known.flag) ??
    flags.find(known => name === known.name || kebab === known.flag)
  if (flag) return {in: 'flags', name: flag.flag}
  if (OF_ONE.includes(kebab) && Object.hasOwn(ownFlags, kebab)) return {in: 'flags', name: kebab}
  const path = name.split('.')
  const schema = schemaAt(operation, path)
  return schema && {in: 'body', path, schema}
}

/** What the description says of a field of a body; `undefined` where it knows none. */
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

function unknownName({operation, args, flags}: Fillable, name: string): UsageError {
  const known = [
    ...pathParameters(operation),
    ...Object.keys(args).filter(name => !name.includes('_')),
    ...operationFlags(operation).map(flag => flag.name),
    ...OF_ONE.filter(name => Object.hasOwn(flags, name)),
    ...Object.keys(requestSchema(operation)?.properties ?? {}),
  ]
  return new UsageError(
    `${shown(name)} is no argument, flag or field of this command.`,
    suggestion('fields', name, known, `It may be one of ${known.join(', ')}.`).hint,
  )
}

function textOf(name: string, value: unknown): string {
  if (['string', 'number', 'boolean'].includes(typeof value)) return String(value)
  throw new UsageError(`${shown(name)} must be a text, not ${shown(JSON.stringify(value))}.`)
}

/** `name` is what the record calls it. */
function flagValue({operation, flags}: Fillable, option: string, name: string, value: unknown) {
  const described = operationFlags(operation).find(({flag}) => flag === option)
  const isBoolean = described
    ? described.schema.type === 'boolean'
    : own(flags, option)?.type === 'boolean'
  if (isBoolean) {
    const text = textOf(name, value).toLowerCase()
    if (text === 'true' || text === 'false') return text === 'true'
    throw new UsageError(`${shown(name)} must be true or false, not ${shown(text)}.`)
  }
  if (described?.repeated) return [value].flat().map(one => textOf(name, one))
  return textOf(name, value)
}

/** A row has texts only, which become what the description says. */
function bodyValue(name: string, schema: Schema, value: unknown, isRow: boolean): unknown {
  if (!isRow) return value
  if (schema.type === 'object' || schema.type === 'array') {
    try {
      return JSON.parse(String(value))
    } catch {
      throw new UsageError(`${shown(name)} must be JSON, for it is no single value.`)
    }
  }
  const problem = parameterProblem(name, schema, String(value), matchesPattern)
  if (problem) throw new UsageError(`${shown(name)} ${problem.text}.`)
  return parameterValue(schema, String(value))
}

function nested(path: readonly string[], value: unknown): Values {
  return path.reduceRight<unknown>((inner, name) => ({[name]: inner}), value) as Values
}

/** Both, of which `over` counts where both have a value. */
export function merged(under: Values, over: Values): Values {
  const both = new Map(Object.entries(under))
  for (const [name, value] of Object.entries(over)) {
    const below = both.get(name)
    both.set(name, isObject(below) && isObject(value) ? merged(below, value) : value)
  }
  return Object.fromEntries(both)
}
