import {idProblem} from '#lib/api/path-values.js'
import {kindOf} from '#lib/cli/input/names/file-kinds.js'
import {isId} from '#lib/cli/input/names/request-names.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {isObject, own} from '#lib/platform/values.js'

/** What names a thing in a record that a command or a program wrote. */

/** Fields that name what a parameter does, the first one that is there; else the parameter's own name and `id`. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  fileId: ['fileId', 'id', 'path'],
  folderId: ['folderId', 'fileId', 'id', 'path'],
  childId: ['childId', 'fileId', 'id', 'path'],
  parentId: ['parentId', 'fileId', 'id', 'path'],
  propertyKey: ['propertyKey', 'key'],
  email: ['email', 'emailAddress'],
}

/** Whose `id` names what a parameter does, where records say what they are. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  fileId: ['file', 'childReference', 'parentReference'],
  folderId: ['file', 'childReference', 'parentReference'],
  childId: ['file', 'childReference'],
  parentId: ['file', 'parentReference'],
  permissionId: ['permission'],
  driveId: ['drive'],
  revisionId: ['revision'],
  appId: ['app'],
  changeId: ['change'],
}

/** The names that fields may have that name what `parameter` does. */
export function namingFields(parameter: string): readonly string[] {
  return own(FIELDS, parameter) ?? [parameter, 'id']
}

/**
 * The word of a record that names what `parameter` does. Throws `UsageError` where there is none, or
 * where the record is of another kind.
 */
export function nameIn(record: Readonly<Record<string, unknown>>, parameter: string): string {
  const fields = namingFields(parameter)
  const field = fields.find(name => typeof own(record, name) === 'string' && record[name] !== '')
  if (field === undefined) {
    throw new UsageError(`The record has none of ${fields.join(', ')}, which would name it.`)
  }
  const word = String(record[field])
  if (field === 'path') return word
  if (field === 'id') refuseOtherKind(record, parameter)
  // An ID stays one, whatever it looks like.
  const isPlain = isId(word) || idProblem(parameter, word) !== undefined
  return isPlain || kindOf(parameter) === undefined ? word : `id:${word}`
}

function refuseOtherKind({kind}: Readonly<Record<string, unknown>>, parameter: string): void {
  const known = own(KINDS, parameter)
  const is = /^drive#(\w+)$/.exec(String(kind))?.[1]
  if (!known || is === undefined || known.includes(is)) return
  throw new UsageError(`The record is a ${is}, whose id names no ${known[0]}.`)
}

/**
 * The word that a line of standard input gives: the line itself, or what names a record of JSON.
 * Throws `UsageError`.
 */
export function wordOf(line: string, parameter: string): string {
  if (!/^\s*[{[]/.test(line)) return line
  let record: unknown
  try {
    record = JSON.parse(line)
  } catch {
    throw new UsageError('The line begins like a record and is no valid JSON.', NDJSON_HINT)
  }
  if (!isObject(record)) throw new UsageError('The line is no record.', NDJSON_HINT)
  return nameIn(record, parameter)
}

/** Throws `UsageError` for the first line of a document of JSON, whose other lines would be words. */
export function refuseDocument(line: string): void {
  const isDocument = /^\s*\[/.test(line) || /^\s*\{\s*("[^"]*"\s*:\s*[{[]?\s*)?$/.test(line)
  if (!isDocument) return
  throw new UsageError('Standard input is one document of JSON.', NDJSON_HINT)
}

export const NDJSON_HINT =
  'Each record is a JSON object on a line of its own, as `--format ndjson` writes.'
