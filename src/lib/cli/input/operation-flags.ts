import {Args, Flags, type Interfaces} from '@oclif/core'
import {isOfSameApi, isRequired, type Operation, pathParameters} from '#lib/api/operations.js'
import type {Schema} from '#lib/api/types.js'
import {acceptedForms, kindOfField, kindOfParameter} from '#lib/cli/input/names/request-names.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {kebabCase, ownProperty} from '#lib/platform/values.js'
import {
  argumentName,
  isSentByDefault,
  type OperationFlag,
  operationFlags,
} from './parameter-flags.js'
import {selectionExample} from './unknown-names.js'

/** The arguments of an operation: its path parameters, in order. */
export function argsOf(operation: Operation): Interfaces.ArgInput {
  return Object.fromEntries(
    pathParameters(operation).map(name => [
      argumentName(name),
      Args.string({
        description: argumentHelp(operation, name),
        required: true,
        // Otherwise oclif reads a missing argument from standard input.
        ignoreStdin: true,
      }),
    ]),
  )
}

/** The help text of a path parameter. */
export function argumentHelp(operation: Operation, name: string): string {
  const description = operation.parameters[name]?.description ?? ''
  const forms = acceptedForms(kindOfParameter(operation, name))
  return forms === undefined ? description : withNotes(withoutId(description), [forms])
}

/** `ID of the file.` as `File.`, for values that can also be a path, a link or a name. */
function withoutId(description: string): string {
  return description.replace(/^IDs? of (?:the )?(\w)/, (_, letter: string) => letter.toUpperCase())
}

/**
 * The flags of an operation, with help from the description. `filled` names the body fields that the
 * command sends by default.
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
        summary: 'Request body as JSON. Other flags override its fields.',
        helpValue: 'JSON|@FILE|-',
        helpGroup: 'BODY',
      }),
    ),
  }
  return {...(Object.fromEntries(own) as Interfaces.FlagInput), ...body}
}

/** Aliases of flags for nested body fields. */
const SHORT_FORMS: Readonly<Record<string, readonly string[]>> = {'labels.starred': ['starred']}

/** Position of flags in help: common ones below 1000, rarely used ones from 1000 on. */
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
  const aliases = [...original, ...(ownProperty(SHORT_FORMS, name) ?? [])]
  const common = {
    summary: summary(operation, flag, isFilled),
    // The API's spelling is accepted too, unless the flag was renamed to avoid a collision.
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

/** Whether a flag sets the role of a permission, which has aliases. */
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
      ? `Fields to return, such as ${selectionExample(operation)}.`
      : schema.description
  const kindOf = place === 'query' ? kindOfParameter : kindOfField
  const forms = acceptedForms(kindOf(operation, name))
  return withNotes(forms === undefined ? description : withoutId(description ?? ''), [
    forms,
    place === 'body' &&
      !isFilled &&
      isRequired(operation, schema) &&
      !/\brequired\b/.test(description ?? '') &&
      'required',
    isRole(operation, flag) && 'also accepts viewer, commenter, editor',
    repeated && 'may be repeated',
    minimum !== undefined && maximum !== undefined && `${minimum} to ${maximum}`,
    minimum !== undefined && maximum === undefined && `at least ${minimum}`,
    (isSentByDefault(flag) || (schema.type === 'boolean' && value === 'true')) && 'default: true',
    name === 'requestId' && 'default: a new UUID',
    schema.type !== 'boolean' && value && `default: ${value}`,
  ])
}

/** The description with notes in parentheses at the end of its first sentence. */
function withNotes(description = '', notes: ReadonlyArray<string | false | undefined>): string {
  const text = notes.filter(Boolean).join('; ')
  if (text === '') return description
  const [first, ...rest] = description.split(/\.(?=\s|$)/)
  const noted = first!.endsWith(')') ? `${first!.slice(0, -1)}; ${text})` : `${first!} (${text})`
  return [noted.trim(), ...rest].join('.') + (rest.length === 0 ? '.' : '')
}

function helpValue({type, format, items}: Schema): string {
  if (type === 'array') return helpValue(items ?? {})
  if (type === 'integer' || format === 'int64') return 'N'
  if (type === 'number') return 'NUMBER'
  if (format === 'date-time') return 'TIME'
  return 'TEXT'
}
