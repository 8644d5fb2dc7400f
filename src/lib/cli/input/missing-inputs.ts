import type {Interfaces} from '@oclif/core'
import {isRequired, type Operation} from '#lib/api/operations.js'
import {knownValues} from '#lib/api/validate.js'
import {namedKindOf} from '#lib/cli/input/names/file-kinds.js'
import {REFERENCES} from '#lib/cli/input/names/request-names.js'
import {ownProperty} from '#lib/platform/values.js'
import type {FlagValues, Parsed} from './call-input.js'
import {operationFlags} from './parameter-flags.js'

/** A required argument, flag or body field without a value, and how to prompt for it. */
export interface MissingInput {
  readonly in: 'args' | 'flags'
  /** The name of the argument or flag. */
  readonly name: string
  /** The prompt: its help text, shortened. */
  readonly message: string
  readonly kind: InputKind
  /** All allowed values, if known. */
  readonly options?: readonly string[]
}

/** `who` is a user, group or domain by address; `access` is one that already has access. */
export type InputKind =
  'file' | 'folder' | 'drive' | 'permission' | 'revision' | 'who' | 'access' | 'text'

/** The arguments and flags of a command. */
export interface CommandInputs {
  readonly args: Interfaces.ArgInput
  readonly flags: Interfaces.FlagInput
}

/** The parsed input so far. */
export type PartialInput = Pick<Parsed, 'args' | 'flags'>

/** Parameters that accept only folders. */
const FOLDERS = ['folderId', 'parentId']

/** Kinds of arguments of verbs that are not operations. */
const VERB_ARGUMENTS: Readonly<Record<string, InputKind>> = {
  remote: 'file',
  source: 'file',
  dest: 'folder',
}

/** The required arguments and flags without a value, in prompting order. */
export function missingInputs({args, flags}: CommandInputs, input: PartialInput): MissingInput[] {
  return [
    ...Object.entries(args)
      .filter(([name, {required}]) => required && input.args[name] === undefined)
      .map(([name, {description, options}]): MissingInput => ({
        in: 'args',
        name,
        message: shortened(description ?? name),
        kind: inputKind(camelCase(name)),
        ...(options && {options}),
      })),
    ...Object.entries(flags)
      .filter(([name, {required}]) => required && ownProperty(input.flags, name) === undefined)
      .map(([name, flag]): MissingInput => ({
        in: 'flags',
        name,
        message: shortened(flag.summary ?? name),
        kind: inputKind(camelCase(name)),
        ...(flag.type === 'option' && flag.options && {options: flag.options}),
      })),
  ]
}

/** The required body fields without a value, except those in `provided`. */
export function missingFields(
  operation: Operation,
  flags: FlagValues,
  provided: readonly string[],
): MissingInput[] {
  const record = operation.request?.$ref ?? ''
  return operationFlags(operation)
    .filter(({place, schema}) => place === 'body' && isRequired(operation, schema))
    .filter(({flag, name}) => ownProperty(flags, flag) === undefined && !provided.includes(name))
    .map(({flag, name, schema}): MissingInput => {
      const key = `${record}.${name}`
      const options =
        schema.enum ??
        (Object.hasOwn(knownValues, key) ? knownValues[key as keyof typeof knownValues] : undefined)
      return {
        in: 'flags',
        name: flag,
        message: shortened(schema.description ?? flag),
        kind: name === 'id' && REFERENCES.has(record) ? 'file' : 'text',
        ...(options && {options}),
      }
    })
}

function inputKind(parameter: string): InputKind {
  if (Object.hasOwn(VERB_ARGUMENTS, parameter)) return VERB_ARGUMENTS[parameter]!
  if (FOLDERS.includes(parameter)) return 'folder'
  const kind = namedKindOf(parameter)
  return kind === undefined || kind === 'files' ? 'text' : kind
}

/** `file_id`, `file-id` -> `fileId` */
function camelCase(name: string): string {
  return name.replace(/[_-]([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** `File (path, link or ID). Accepts several.` -> `File` */
function shortened(text: string): string {
  const short = text
    .replace(/\.(\s.*)?$/s, '')
    .replace(/[:;]\s.*$/s, '')
    .replace(/ \([^)]*\)$/, '')
    .replace(/^ID of (the |a |an )?/, '')
  return short.charAt(0).toUpperCase() + short.slice(1)
}
