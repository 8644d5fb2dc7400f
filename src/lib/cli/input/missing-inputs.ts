import type {Interfaces} from '@oclif/core'
import {isRequired, type Operation} from '#lib/api/operations.js'
import {knownValues} from '#lib/api/validate.js'
import {kindOf} from '#lib/cli/input/names/file-kinds.js'
import {REFERENCES} from '#lib/cli/input/names/request-names.js'
import {own} from '#lib/platform/values.js'
import type {Parsed, Values} from './call-input.js'
import {operationFlags} from './parameter-flags.js'

/** What a command line lacks, and how it is asked for. */
export interface Need {
  readonly in: 'args' | 'flags'
  /** The name of the argument or flag. */
  readonly name: string
  /** What the help says of it, in short. */
  readonly message: string
  readonly kind: NeedKind
  /** All that it may be, where that is known. */
  readonly options?: readonly string[]
}

/** `who` is somebody by address, `access` somebody who has access already. */
export type NeedKind =
  'file' | 'folder' | 'drive' | 'permission' | 'revision' | 'who' | 'access' | 'text'

/** What a command takes. */
export interface Inputs {
  readonly args: Interfaces.ArgInput
  readonly flags: Interfaces.FlagInput
}

/** A command line as far as it goes. */
export type Given = Pick<Parsed, 'args' | 'flags'>

/** Names under which a folder is meant, where a file could not be. */
const FOLDERS = ['folderId', 'parentId']

/** Arguments of commands that are no operations, by what they name. */
const OWN: Readonly<Record<string, NeedKind>> = {remote: 'file', source: 'file', dest: 'folder'}

/** The arguments and flags that have to be there and are not, in the order in which they are asked for. */
export function missingInputs({args, flags}: Inputs, given: Given): Need[] {
  return [
    ...Object.entries(args)
      .filter(([name, {required}]) => required && given.args[name] === undefined)
      .map(([name, {description, options}]): Need => ({
        in: 'args',
        name,
        message: shortened(description ?? name),
        kind: needKind(camelCase(name)),
        ...(options && {options}),
      })),
    ...Object.entries(flags)
      .filter(([name, {required}]) => required && own(given.flags, name) === undefined)
      .map(([name, flag]): Need => ({
        in: 'flags',
        name,
        message: shortened(flag.summary ?? name),
        kind: needKind(camelCase(name)),
        ...(flag.type === 'option' && flag.options && {options: flag.options}),
      })),
  ]
}

/** The fields of an operation's body that have to be there and that nothing brings. */
export function missingFields(
  operation: Operation,
  flags: Values,
  brought: readonly string[],
): Need[] {
  const record = operation.request?.$ref ?? ''
  return operationFlags(operation)
    .filter(({place, schema}) => place === 'body' && isRequired(operation, schema))
    .filter(({flag, name}) => own(flags, flag) === undefined && !brought.includes(name))
    .map(({flag, name, schema}): Need => {
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

function needKind(parameter: string): NeedKind {
  if (Object.hasOwn(OWN, parameter)) return OWN[parameter]!
  if (FOLDERS.includes(parameter)) return 'folder'
  const kind = kindOf(parameter)
  return kind === undefined || kind === 'files' ? 'text' : kind
}

/** `file_id`, `file-id` -> `fileId` */
function camelCase(name: string): string {
  return name.replace(/[_-]([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** `ID of the file (ID, path or link). Several may be named.` -> `File` */
function shortened(text: string): string {
  const words = text
    .replace(/\.(\s.*)?$/s, '')
    .replace(/ \([^)]*\)$/, '')
    .replace(/^ID of (the |a |an )?/, '')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
