import {idProblem} from '#lib/api/path-values.js'
import {namedKindOf} from '#lib/cli/input/names/file-kinds.js'
import {isId} from '#lib/cli/input/names/request-names.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {isObject, ownProperty, quoteJson} from '#lib/platform/values.js'

/* The fields of a record that identify an item, whether drv or another program wrote it. */

/** For each parameter, the fields that can hold its value, in order of preference. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  fileId: ['fileId', 'id', 'path'],
  folderId: ['folderId', 'fileId', 'id', 'path'],
  childId: ['childId', 'fileId', 'id', 'path'],
  parentId: ['parentId', 'fileId', 'id', 'path'],
  propertyKey: ['propertyKey', 'key'],
  email: ['email', 'emailAddress'],
}

/** For each parameter, the kinds of records whose `id` is a valid value. */
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

/** The fields that can hold the value of `parameter`; by default its own name and `id`. */
export function namingFields(parameter: string): readonly string[] {
  return ownProperty(FIELDS, parameter) ?? [parameter, 'id']
}

/**
 * The value of `parameter` in a record. Throws `UsageError` if the record has none, or is of another kind.
 */
export function nameIn(record: Readonly<Record<string, unknown>>, parameter: string): string {
  const fields = namingFields(parameter)
  const field = fields.find(
    name => typeof ownProperty(record, name) === 'string' && record[name] !== '',
  )
  if (field === undefined) {
    const wrong = fields.find(name => ownProperty(record, name) !== undefined)
    if (wrong !== undefined) {
      const problem =
        record[wrong] === '' ? 'not be empty' : `be a string, not ${quoteJson(record[wrong])}`
      throw new UsageError(`Invalid "${wrong}": must ${problem}.`)
    }
    throw new UsageError(`The record has none of the fields ${fields.join(', ')}.`)
  }
  const word = String(record[field])
  if (field === 'path') return word
  if (field === 'id') refuseOtherKind(record, parameter)
  // The prefix keeps an ID from being parsed as a path.
  const isPlain = isId(word) || idProblem(parameter, word) !== undefined
  return isPlain || namedKindOf(parameter) === undefined ? word : `id:${word}`
}

function refuseOtherKind({kind}: Readonly<Record<string, unknown>>, parameter: string): void {
  const known = ownProperty(KINDS, parameter)
  const is = /^drive#(\w+)$/.exec(String(kind))?.[1]
  if (!known || is === undefined || known.includes(is)) return
  throw new UsageError(`Invalid record: its kind is "${is}", not "${known[0]}".`)
}

/**
 * The value of `parameter` in a line of standard input: the line itself, or a field of its JSON object.
 * Throws `UsageError`.
 */
export function wordOf(line: string, parameter: string): string {
  if (!/^\s*[{[]/.test(line)) return line
  let record: unknown
  try {
    record = JSON.parse(line)
  } catch {
    throw new UsageError('Invalid record: not valid JSON.', NDJSON_HINT)
  }
  if (!isObject(record)) throw new UsageError('Invalid record: not a JSON object.', NDJSON_HINT)
  return nameIn(record, parameter)
}

/** Throws `UsageError` if `line` starts a multi-line JSON document, whose other lines are not records. */
export function refuseDocument(line: string): void {
  const isDocument = /^\s*\[/.test(line) || /^\s*\{\s*("[^"]*"\s*:\s*[{[]?\s*)?$/.test(line)
  if (!isDocument) return
  throw new UsageError(
    'Cannot read standard input: it is a JSON document, not NDJSON.',
    NDJSON_HINT,
  )
}

export const NDJSON_HINT =
  'Write each record as a JSON object on its own line, as --format ndjson does.'
