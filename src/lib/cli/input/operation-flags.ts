import {Args, Flags, type Interfaces} from '@oclif/core'
import {isOfSameApi, isRequired, type Operation, pathParameters} from '#lib/api/operations.js'
import type {Schema} from '#lib/api/types.js'
import {writtenAs} from '#lib/cli/input/names/request-names.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {kebabCase, own} from '#lib/platform/values.js'
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
  const own = operationFlags(operation).map(flag => {
    const defined = definition(operation, flag, filled.includes(flag.name))
    const rank = Object.hasOwn(RANKS, flag.flag) ? RANKS[flag.flag] : undefined
    return [flag.flag, rank === undefined ? defined : ranked(rank, defined)]
  })
  const body = operation.request && {
    body: ranked(
      1017,
      Flags.string({
        summary: 'The whole body as JSON; other flags are laid over it.',
        helpValue: 'JSON|@FILE|-',
        helpGroup: 'BODY',
      }),
    ),
  }
  return {...(Object.fromEntries(own) as Interfaces.FlagInput), ...body}
}

/** What people call fields that stand in an object of the body. */
const SHORT_FORMS: Readonly<Record<string, readonly string[]>> = {'labels.starred': ['starred']}

/** The places of flags in help: below 1000 what people reach for first, from there on what almost nobody needs. */
const RANKS: Readonly<Record<string, number>> = {
  q: 4,
  title: 6,
  name: 8,
  'order-by': 9,
  type: 10,
  role: 11,
  value: 12,
  description: 13,
  'add-parents': 14,
  'remove-parents': 15,
  'mime-type': 1001,
  id: 1002,
  'page-token': 1003,
  'max-results': 1004,
  visibility: 1008,
  'ocr-language': 1009,
  'timed-text-language': 1010,
  'timed-text-track-name': 1011,
  'use-content-as-indexable-text': 1012,
  'modified-date-behavior': 1013,
  'acknowledge-abuse': 1014,
  kind: 1015,
  fields: 1016,
  'include-items-from-all-drives': 1021,
  'supports-all-drives': 1022,
  'use-domain-admin-access': 1023,
  'include-labels': 1024,
  'include-permissions-for-view': 1025,
  'quota-user': 1026,
}

function definition(
  operation: Operation,
  flag: OperationFlag,
  isFilled: boolean,
): Interfaces.FlagInput[string] {
  const {flag: spelling, name, place, schema, repeated} = flag
  const original = spelling !== name && spelling === kebabCase(name) ? [name] : []
  const aliases = [...original, ...(own(SHORT_FORMS, name) ?? [])]
  const common = {
    summary: summary(operation, flag, isFilled),
    // The original spelling is understood too, unless the name itself had to give way.
    ...(aliases.length > 0 ? {aliases} : {}),
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

/** Whether it gives the role of a permission, which has everyday names. */
function isRole({request, document}: Operation, {name, place}: OperationFlag): boolean {
  return (
    place === 'body' && name === 'role' && request?.$ref === 'Permission' && isOfSameApi(document)
  )
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
    isRole(operation, flag) && 'also viewer, commenter or editor',
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
