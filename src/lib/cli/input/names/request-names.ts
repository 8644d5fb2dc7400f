import {isOfSameApi, type Operation, pathParameters} from '#lib/api/operations.js'
import {idProblem} from '#lib/api/path-values.js'
import {argumentName, operationFlags} from '#lib/cli/input/parameter-flags.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import type {CallInput} from '#lib/client/client.js'
import {type Kind, kindOf} from './file-kinds.js'
import type {Lookups} from './lookups.js'

/**
 * Words of a command line that name things, so that they may be paths, links, addresses and names. They
 * stand in the request until everything else about it is checked; then IDs take their places.
 */

/** Records of which a request's `id` names a file that is there. */
export const REFERENCES = new Set(['ParentReference', 'ChildReference'])

/** A word that names something. */
export interface Word {
  readonly kind: Kind
  readonly text: string
  /** Where the request has it: `params`, `fileId`. */
  readonly position: readonly string[]
}

/** What a command line asks for, checked before any of its names is resolved. */
export interface Checked {
  readonly words: readonly Word[]
  /** What is to be sent, with the words in the place of IDs. */
  readonly input: CallInput
}

type Values = Readonly<Record<string, unknown>>

/** The words that name things, in the order of the operation's path and flags. */
export function namingWords(described: Operation, args: Values, flags: Values): Word[] {
  const wordOf = (kind: Kind | undefined, text: unknown, ...position: string[]): Word[] =>
    kind !== undefined && typeof text === 'string' ? [{kind, text, position}] : []
  // Another API may call quite other things so.
  if (!isOfSameApi(described.document)) return []
  const inPath = pathParameters(described).flatMap(name =>
    wordOf(kindOfParameter(described, name), args[argumentName(name)], 'params', name),
  )
  const inFlags = operationFlags(described).flatMap(({flag, name, place}) =>
    place === 'query'
      ? wordOf(kindOfParameter(described, name), flags[flag], 'params', name)
      : wordOf(kindOfField(described, name), flags[flag], 'body', name),
  )
  return [...inPath, ...inFlags, ...wordOf('file', flags.parent, 'body', 'parents', '0', 'id')]
}

/** What the value of an operation's parameter names, if anything. */
export function kindOfParameter({document}: Operation, name: string): Kind | undefined {
  return isOfSameApi(document) ? kindOf(name) : undefined
}

/** What the value of a field of an operation's body names, if anything. */
export function kindOfField({document, request}: Operation, name: string): Kind | undefined {
  const isReference = name === 'id' && REFERENCES.has(request?.$ref ?? '')
  return isReference && isOfSameApi(document) ? 'file' : undefined
}

const WRITTEN_AS: Readonly<Record<Kind, string>> = {
  file: 'ID, path or link',
  files: 'IDs, paths or links',
  drive: 'ID or name',
  permission: 'ID, e-mail address or anyone',
  revision: 'ID or head',
}

/** How a value of an operation's parameter may be written, where that is more than an ID. */
export function writtenAs(operation: Operation, name: string): string | undefined {
  const kind = kindOfParameter(operation, name)
  return kind && WRITTEN_AS[kind]
}

/**
 * Whether a word of a kind has to be resolved. What is neither an ID nor may stand where one does is
 * not: whoever checks the request refuses it.
 */
export function isName(kind: Kind | undefined, text: string): boolean {
  if (kind === undefined) return false
  if (text.startsWith('id:')) return true
  switch (kind) {
    case 'file':
      return !isId(text) && !isRefused(text)
    case 'files':
      return /[:/]/.test(text)
    case 'drive':
      return !isId(text) && idProblem('driveId', text) === undefined
    case 'permission':
      return (
        text === 'anyone' || (/[@.]/.test(text) && idProblem('permissionId', text) === undefined)
      )
    case 'revision':
      return text === 'head'
  }
}

/** Whether a word is an ID, however short. */
export function isId(text: string): boolean {
  return /^[\w-]+$/.test(text)
}

function isRefused(text: string): boolean {
  const [first = ''] = text.split('/')
  return (first !== '' || text === '') && idProblem('fileId', first) !== undefined
}

/** The request with IDs in the place of names. Fails as the lookups do. */
export async function resolveNames({input, words}: Checked, lookups: Lookups): Promise<CallInput> {
  const names = words.filter(({kind, text}) => isName(kind, text))
  const isOfFile = ({kind}: Word) => kind === 'permission' || kind === 'revision'
  const known = await withIds(
    input,
    names.filter(word => !isOfFile(word)),
    ({kind, text}) => lookups[kind as 'file' | 'files' | 'drive'](text),
  )
  const fileId = String(known.params.fileId)
  return withIds(known, names.filter(isOfFile), ({kind, text}) =>
    lookups[kind as 'permission' | 'revision'](fileId, text),
  )
}

/**
 * The request with the IDs of shared drives in the place of words that the service knew no drive by,
 * for these may be names; `undefined` where that cannot be found out. Fails where no drive, or more than
 * one, has the name.
 */
export async function resolveDriveNames(
  input: CallInput,
  words: readonly Word[],
  lookups: Lookups,
): Promise<CallInput | undefined> {
  const drives = words.filter(({kind, text}) => kind === 'drive' && !isName(kind, text))
  if (drives.length === 0) return undefined
  try {
    return await withIds(input, drives, ({text}) => lookups.driveNamed(text))
  } catch (error) {
    // There is none of that name, or several; what keeps the names from being asked for says nothing.
    if (error instanceof CommandError) throw error
    return undefined
  }
}

async function withIds(
  input: CallInput,
  words: readonly Word[],
  find: (word: Word) => Promise<string>,
): Promise<CallInput> {
  const ids = await Promise.all(words.map(find))
  return words.reduce((all, {position}, index) => withValue(all, position, ids[index]!), input)
}

/** The same with another text at one position. */
function withValue<T>(value: T, [name, ...rest]: readonly string[], text: string): T {
  if (name === undefined) return text as T
  const inner = withValue((value as Values)[name], rest, text)
  return (Array.isArray(value) ? value.with(Number(name), inner) : {...value, [name]: inner}) as T
}
