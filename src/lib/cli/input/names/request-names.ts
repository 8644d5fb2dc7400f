import {isOfSameApi, type Operation, pathParameters} from '#lib/api/operations.js'
import {idProblem} from '#lib/api/path-values.js'
import {argumentName, operationFlags} from '#lib/cli/input/parameter-flags.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import type {CallInput} from '#lib/client/client.js'
import {type Kind, namedKindOf} from './file-kinds.js'
import type {Resolver} from './resolver.js'

/**
 * Arguments and flags that identify items by path, link, email address or name. The request contains them
 * as typed until the rest of it is validated; then their IDs replace them.
 */

/** Schemas whose `id` in a request refers to an existing file. */
export const REFERENCES = new Set(['ParentReference', 'ChildReference'])

/** A value that identifies an item. */
export interface NamedItem {
  readonly kind: Kind
  readonly text: string
  /** Its position in the request, such as `params`, `fileId`. */
  readonly position: readonly string[]
}

/** A validated request whose names are not resolved yet. */
export interface UnresolvedRequest {
  readonly words: readonly NamedItem[]
  /** The request, with names in place of IDs. */
  readonly input: CallInput
}

type Values = Readonly<Record<string, unknown>>

/** The values that identify items, in the order of the operation's arguments and flags. */
export function namedItems(described: Operation, args: Values, flags: Values): NamedItem[] {
  const wordOf = (kind: Kind | undefined, text: unknown, ...position: string[]): NamedItem[] =>
    kind !== undefined && typeof text === 'string' ? [{kind, text, position}] : []
  // In another API, the same parameter names can mean something else.
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

/** The kind of item that a parameter's value identifies; `undefined` if none. */
export function kindOfParameter({document}: Operation, name: string): Kind | undefined {
  return isOfSameApi(document) ? namedKindOf(name) : undefined
}

/** The kind of item that a body field's value identifies; `undefined` if none. */
export function kindOfField({document, request}: Operation, name: string): Kind | undefined {
  const isReference = name === 'id' && REFERENCES.has(request?.$ref ?? '')
  return isReference && isOfSameApi(document) ? 'file' : undefined
}

const ACCEPTED_FORMS: Readonly<Record<Kind, string>> = {
  file: 'path, link or ID',
  files: 'paths, links or IDs',
  drive: 'ID or name',
  permission: 'ID, email address or "anyone"',
  revision: 'ID or "head"',
}

/** The accepted forms of a value, for help; `undefined` if it names no item, or only takes an ID. */
export function acceptedForms(kind: Kind | undefined): string | undefined {
  return kind && ACCEPTED_FORMS[kind]
}

/**
 * Whether a value has to be resolved to an ID. `false` for IDs and for invalid values, which the validation
 * of the request rejects.
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

/** Whether `text` has only the characters of an ID. */
export function isId(text: string): boolean {
  return /^[\w-]+$/.test(text)
}

function isRefused(text: string): boolean {
  const [first = ''] = text.split('/')
  return (first !== '' || text === '') && idProblem('fileId', first) !== undefined
}

/** Prepares resolving the names in requests of an operation, so that the history learns what they change. */
export async function announceNames(
  {operationId: id}: Operation,
  requests: readonly UnresolvedRequest[],
  resolver: Resolver,
): Promise<void> {
  const named = requests.filter(({words}) => words.some(({kind, text}) => isName(kind, text)))
  if (named.length > 0) await resolver.announce(named.map(({input}) => ({id, input})))
}

/** The request with names replaced by IDs. Throws like the resolver. */
export async function resolveNames(
  {input, words}: UnresolvedRequest,
  resolver: Resolver,
): Promise<CallInput> {
  const names = words.filter(({kind, text}) => isName(kind, text))
  const isOfFile = ({kind}: NamedItem) => kind === 'permission' || kind === 'revision'
  const known = await withIds(
    input,
    names.filter(word => !isOfFile(word)),
    ({kind, text}) => resolver[kind as 'file' | 'files' | 'drive'](text),
  )
  const fileId = String(known.params.fileId)
  return withIds(known, names.filter(isOfFile), ({kind, text}) =>
    resolver[kind as 'permission' | 'revision'](fileId, text),
  )
}

/**
 * The request with names of shared drives that look like IDs replaced by IDs, for a retry after the service
 * reported an unknown drive. `undefined` without such names, or if the list of drives cannot be read. Throws
 * if no drive, or more than one, has the name.
 */
export async function resolveDriveNames(
  input: CallInput,
  words: readonly NamedItem[],
  resolver: Resolver,
): Promise<CallInput | undefined> {
  const drives = words.filter(({kind, text}) => kind === 'drive' && !isName(kind, text))
  if (drives.length === 0) return undefined
  try {
    return await withIds(input, drives, ({text}) => resolver.driveNamed(text))
  } catch (error) {
    // Only errors about the name itself are reported.
    if (error instanceof CommandError) throw error
    return undefined
  }
}

/** The request with all names of shared drives replaced by IDs, for a plan that is applied later. */
export function withDriveIds(
  input: CallInput,
  words: readonly NamedItem[],
  resolver: Resolver,
): Promise<CallInput> {
  const drives = words.filter(({kind, text}) => kind === 'drive' && !isName(kind, text))
  return withIds(input, drives, ({text}) => resolver.driveKnown(text))
}

async function withIds(
  input: CallInput,
  words: readonly NamedItem[],
  find: (word: NamedItem) => Promise<string>,
): Promise<CallInput> {
  const ids = await Promise.all(words.map(find))
  return words.reduce((all, {position}, index) => withValue(all, position, ids[index]!), input)
}

/** A copy of `value` with `text` at a position. */
function withValue<T>(value: T, [name, ...rest]: readonly string[], text: string): T {
  if (name === undefined) return text as T
  const inner = withValue((value as Values)[name], rest, text)
  return (Array.isArray(value) ? value.with(Number(name), inner) : {...value, [name]: inner}) as T
}
