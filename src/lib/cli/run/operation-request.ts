import {isOfSameApi, listField, type Operation} from '#lib/api/operations.js'
import {queryFieldsOf} from '#lib/api/query/query.js'
import {hasChange} from '#lib/cli/changes/change.js'
import type {Context} from '#lib/cli/context/context.js'
import {
  bodyFromFlags,
  type FlagValues,
  parametersFromFlags,
  type Parsed,
} from '#lib/cli/input/call-input.js'
import {withRole, withTimes} from '#lib/cli/input/everyday-values.js'
import {isList} from '#lib/cli/input/items/several.js'
import {readBodyFlag} from '#lib/cli/input/json-input.js'
import {NEW_ID} from '#lib/cli/input/shared-flags.js'
import {isOfFiles, PATH_COLUMN} from '#lib/cli/output/columns-flag.js'
import type {OutputFormat} from '#lib/cli/output/format.js'
import {listFields, pageFields, recordFields, rowFields} from '#lib/cli/output/list-fields.js'
import type {CallInput} from '#lib/client/client.js'
import type {Paths} from '#lib/transfer/remote/paths.js'
import {PATH_FIELDS} from '#lib/transfer/remote/remote-path.js'
import type {PrinterOptions} from './printer.js'
import type {OperationVerb, RunInputs} from './verb-description.js'

/** The request of a command line; `isRow` for one of many. Throws `UsageError`; sends nothing. */
export async function readRequest(
  verb: OperationVerb,
  parsed: Parsed,
  surroundings: RunInputs,
  isRow: boolean,
): Promise<CallInput> {
  const standard = () => describedRequest(verb, parsed, surroundings, isRow)
  return verb.request ? verb.request(standard, parsed, surroundings) : standard()
}

/** The request that the description derives from a command line. */
async function describedRequest(
  verb: OperationVerb,
  {args, flags: given, document}: Parsed,
  surroundings: RunInputs,
  isRow: boolean,
): Promise<CallInput> {
  const {operation, defaults} = verb
  const {context} = surroundings
  const flags = await everydayFlags(operation, given, context)
  const fields = fieldsFor(verb, flags, surroundings, isRow)
  const sent = (values: FlagValues = {}) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        value === NEW_ID ? context.newId() : value,
      ]),
    )
  if (flags.q !== undefined) {
    const {refuseUnreadableQuery} = await import('#lib/cli/input/query-check.js')
    refuseUnreadableQuery(operation, String(flags.q))
  }
  const whole = await readBodyFlag(flags.body as string | undefined, context)
  return {
    params: {
      ...parametersFromFlags(operation, args, {...sent(defaults?.query), ...flags}),
      ...(fields !== undefined && {fields}),
    },
    body: bodyFromFlags(operation, flags, {...sent(defaults?.body), ...document, ...whole}),
  }
}

/** Translates everyday roles, times and search fields in flags to those of the service. */
async function everydayFlags(
  operation: Operation,
  given: FlagValues,
  {now}: Context,
): Promise<FlagValues> {
  const flags = withRole(operation, withTimes(operation, given, now()))
  if (flags.q === undefined || !isOfSameApi(operation.document)) return flags
  const {everydayQuery} = await import('#lib/cli/input/everyday-query.js')
  return {...flags, q: everydayQuery(String(flags.q), queryFieldsOf(operation), now())}
}

/** The `fields` of the request: as given, or those that the columns and paths need. */
export function fieldsFor(
  {operation, isBrief}: OperationVerb,
  {fields: given, output}: FlagValues,
  {context, printer}: Pick<RunInputs, 'context' | 'printer'>,
  isRow: boolean,
): string | undefined {
  const {columns} = context.options
  if (output !== undefined) return undefined
  const isTold = printer.isProse && hasChange(operation)
  if (!columns) {
    const isShort = (isRow || isBrief || isTold) && given === undefined && !printer.isStructured
    return isShort ? rowFields(operation, printer.output) : undefined
  }
  const hasPath = columns.includes(PATH_COLUMN) && isOfFiles(operation)
  const forPath = hasPath ? PATH_FIELDS : []
  if (given !== undefined) {
    return hasPath ? fieldsWith(operation, String(given), forPath) : undefined
  }
  const real = columns.filter(column => !hasPath || column !== PATH_COLUMN)
  const paths = [...real, ...forPath]
  return isList(operation) ? pageFields(operation, paths) : recordFields(paths)
}

/** Adds fields of the records to the requested ones. */
function fieldsWith(operation: Operation, wish: string, paths: readonly string[]): string {
  const list = listField(operation)
  if (list === undefined) return `${wish},${recordFields(paths)}`
  return `${listFields(operation, wish)},${list}(${recordFields(paths)})`
}

/** Adds paths to records if they are printed. */
export function pathCompletion(
  {operation, withPaths}: OperationVerb,
  {output}: FlagValues,
  context: Context,
): PrinterOptions['complete'] {
  const {columns} = context.options
  const isColumn = columns?.includes(PATH_COLUMN) && isOfFiles(operation)
  const isWanted = ({fields}: OutputFormat) => (columns ? isColumn : withPaths && !fields)
  let paths: Paths | undefined
  return async (records, format) => {
    if (output !== undefined || !isWanted(format)) return records
    const {createPaths} = await import('#lib/transfer/remote/paths.js')
    paths ??= createPaths(await context.client())
    const found = await paths.of(records)
    return records.map((record, index) => ({...record, [PATH_COLUMN]: found[index]}))
  }
}
