import {isOfSameApi, type Operation, pathParameters} from '#lib/api/operations.js'
import {idProblem} from '#lib/api/pathvalues.js'
import type {Values} from '#lib/cli/input/call-input.js'
import {argumentName, operationFlags} from '#lib/cli/input/parameter-flags.js'
import {type Kind, kindOf} from './file-kinds.js'

/** Which words of a command line name things, so that they may be paths, links, addresses and names. */

/** Records of which a request's `id` names a file that is there. */
export const REFERENCES = new Set(['ParentReference', 'ChildReference'])

/** A word of a command line that names something. */
export interface Word {
  readonly in: 'args' | 'flags'
  /** The name of the argument or flag. */
  readonly name: string
  readonly kind: Kind
  readonly text: string
}

/** The words that name things, in the order of the operation's path and flags. */
export function namingWords(described: Operation, args: Values, flags: Values): Word[] {
  // Another API may call quite other things so.
  if (!isOfSameApi(described.document)) return []
  const inPath = pathParameters(described).map(name => {
    const argument = argumentName(name)
    return {in: 'args' as const, name: argument, kind: kindOf(name), text: args[argument]}
  })
  const inFlags = operationFlags(described).map(({flag, name, place}) => {
    const isReference = name === 'id' && REFERENCES.has(described.request?.$ref ?? '')
    const kind = place === 'query' ? kindOf(name) : isReference ? ('file' as const) : undefined
    return {in: 'flags' as const, name: flag, kind, text: flags[flag]}
  })
  const parent = {in: 'flags' as const, name: 'parent', kind: 'file' as const, text: flags.parent}
  return [...inPath, ...inFlags, parent].filter(
    (word): word is Word => word.kind !== undefined && typeof word.text === 'string',
  )
}

const WRITTEN_AS: Readonly<Record<Kind, string>> = {
  file: 'ID, path or link',
  files: 'IDs, paths or links',
  drive: 'ID or name',
  permission: 'ID, e-mail address or anyone',
  revision: 'ID or head',
}

/** How a value of an operation's parameter may be written, where that is more than an ID. */
export function writtenAs({document}: Operation, name: string): string | undefined {
  const kind = isOfSameApi(document) ? kindOf(name) : undefined
  return kind && WRITTEN_AS[kind]
}

/**
 * Whether a word is no ID itself, so that it has to be read as a name. What must not stand where an
 * ID does is none either: whoever reads the parameters refuses it in their words.
 */
export function isName({kind, text}: Pick<Word, 'kind' | 'text'>): boolean {
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
