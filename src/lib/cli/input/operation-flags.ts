import {Args, Flags, type Interfaces} from '@oclif/core'
import {isRequired, type Operation, pathParameters} from '#lib/api/operations.js'
import type {Schema} from '#lib/api/types.js'
import {writtenAs} from '#lib/cli/input/names/request-names.js'
import {kebabCase} from '#lib/platform/values.js'
import {
  argumentName,
  isSentByDefault,
  type OperationFlag,
  operationFlags,
} from './parameter-flags.js'
import {selectionExample} from './unknown-names.js'

/** The arguments of an operation: what its path needs, in order. */
export function argsOf(operation: Operation): Interfaces.ArgInput {
  return Object.fromEntries(
    pathParameters(operation).map(name => [
      argumentName(name),
      Args.string({
        description: argumentHelp(operation, name),
        required: true,
        // oclif would take standard input for an argument that was forgotten.
        ignoreStdin: true,
      }),
    ]),
  )
}

/** What the help says of a parameter of the path. */
export function argumentHelp(operation: Operation, name: string): string {
  const words = operation.parameters[name]?.description ?? ''
  const written = writtenAs(operation, name)
  return written === undefined ? words : `${words.replace(/\.$/, '')} (${written}).`
}

/**
 * The flags of an operation, with the words of the description; `filled` are the names of the fields
 * that are sent where nobody gives them.
 */
export function flagsOf(
  operation: Operation,
  filled: readonly string[] = [],
): Interfaces.FlagInput {
  const own = operationFlags(operation).map(flag => [
    flag.flag,
    definition(operation, flag, filled.includes(flag.name)),
  ])
  const body = operation.request && {
    body: Flags.string({
      summary: 'The whole body as JSON; other flags are laid over it.',
      helpValue: 'JSON|@FILE|-',
      helpGroup: 'BODY',
    }),
  }
  return {...(Object.fromEntries(own) as Interfaces.FlagInput), ...body}
}

function definition(
  operation: Operation,
  flag: OperationFlag,
  isFilled: boolean,
): Interfaces.FlagInput[string] {
  const {flag: spelling, name, place, schema, repeated} = flag
  const common = {
    summary: summary(operation, flag, isFilled),
    // The original spelling is understood too, unless the name itself had to give way.
    ...(spelling !== name && spelling === kebabCase(name) ? {aliases: [name]} : {}),
    ...(place === 'body' ? {helpGroup: 'BODY'} : {}),
    ...(schema.deprecated ? {hidden: true} : {}),
  }
  if (schema.type === 'boolean') return Flags.boolean({...common, allowNo: true})
  const isRequiredFlag = place === 'query' && schema.required && name !== 'requestId'
  const option = {
    ...common,
    ...(isRequiredFlag ? {required: true} : {}),
    ...(schema.enum ? {options: [...schema.enum]} : {helpValue: helpValue(schema)}),
  }
  return repeated
    ? Flags.string({...option, multiple: true, multipleNonGreedy: true})
    : Flags.string(option)
}

function summary(operation: Operation, flag: OperationFlag, isFilled: boolean): string {
  const {schema, repeated, place, name} = flag
  const {default: value, minimum, maximum} = schema
  const description =
    name === 'fields' && place === 'query'
      ? `Fields to return, such as: ${selectionExample(operation)}.`
      : schema.description
  return withRemarks(description, [
    place === 'query' && writtenAs(operation, name),
    place === 'body' && !isFilled && isRequired(operation, schema) && 'needed',
    repeated && 'may be repeated',
    minimum !== undefined && maximum !== undefined && `${minimum} to ${maximum}`,
    minimum !== undefined && maximum === undefined && `${minimum} or more`,
    (isSentByDefault(flag) || (schema.type === 'boolean' && value === 'true')) &&
      'on unless turned off',
    name === 'requestId' && 'a new UUID unless given',
    schema.type !== 'boolean' && value && `default: ${value}`,
  ])
}

function withRemarks(description = '', remarks: ReadonlyArray<string | false | undefined>): string {
  const told = remarks.filter(Boolean).join('; ')
  return told === '' ? description : `${description} (${told})`
}

function helpValue({type, format, items}: Schema): string {
  if (type === 'array') return helpValue(items ?? {})
  if (type === 'integer' || format === 'int64') return 'N'
  if (type === 'number') return 'NUMBER'
  if (format === 'date-time') return 'TIME'
  return 'TEXT'
}
