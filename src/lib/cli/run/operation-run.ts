import {isMutating, pathParameters} from '#lib/api/operations.js'
import {type Change, changedItem, changeOf, hasChange} from '#lib/cli/changes/change.js'
import type {Context} from '#lib/cli/context/context.js'
import {NOTHING_DONE, requestState} from '#lib/cli/explain/interruption.js'
import {filterBehindQuiet} from '#lib/cli/explain/parse-errors.js'
import {confirmDestroying, refuseUnconfirmed} from '#lib/cli/guard/confirm-destroying.js'
import type {PlannedRequest} from '#lib/cli/guard/curl.js'
import {destroys} from '#lib/cli/guard/destroys.js'
import {checkChanges} from '#lib/cli/guard/policy-check.js'
import {refuseOperation} from '#lib/cli/guard/read-only.js'
import {deprecationNotices, type Parsed} from '#lib/cli/input/call-input.js'
import {checkOneReader, isList, mayBeMany} from '#lib/cli/input/items/several.js'
import {expandGlobs} from '#lib/cli/input/names/globs.js'
import {
  announceNames,
  kindOfParameter,
  namedItems,
  resolveDriveNames,
  resolveNames,
  type UnresolvedRequest,
  withDriveIds,
} from '#lib/cli/input/names/request-names.js'
import {createResolver} from '#lib/cli/input/names/resolver.js'
import {argumentName} from '#lib/cli/input/parameter-flags.js'
import {hasColumns, selectedColumns} from '#lib/cli/output/columns.js'
import type {Row} from '#lib/cli/output/format.js'
import type {CallInput} from '#lib/client/client.js'
import {ServiceError} from '#lib/client/errors.js'
import {hasWildcards} from '#lib/transfer/remote/title-globs.js'
import {readRequest} from './operation-request.js'
import {previewOf, type Route, sendRoute, type Step} from './plan.js'
import type {Printer} from './printer.js'
import {
  commandLine,
  type ItemRunner,
  type OperationVerb,
  type ParsedLine,
  type RunInputs,
} from './verb-description.js'

/** Runs one operation: reads the request from the command line, sends it and prints the response. */
export async function runOperation(
  described: OperationVerb,
  {args, flags, argv}: ParsedLine,
  context: Context,
  printer: Printer,
): Promise<void> {
  const {operationFor, settle, several} = described
  const verb = {...described, operation: operationFor?.(flags) ?? described.operation}
  const surroundings = {context, printer, argv}
  const settled = settle ? settle({args, flags}) : {args, flags}
  await beginOperation(verb, settled, context)
  const given = await withMatches(verb, settled, context)
  if (await doMany(verb, given, surroundings)) return
  const one = several === undefined ? {} : {[several]: [given.args[several]].flat()[0]}
  await doOne(verb, {...given, args: {...given.args, ...one}}, surroundings)
}

/** Expands glob patterns in a repeatable file argument. */
async function withMatches(
  {several, operation, defaults}: OperationVerb,
  given: Parsed,
  context: Context,
): Promise<Parsed> {
  const name = pathParameters(operation).at(-1)
  const isOfFiles = several !== undefined && several === (name && argumentName(name))
  if (!isOfFiles || kindOfParameter(operation, name!) !== 'file') return given
  const {[several]: named} = given.args
  if (named === undefined) return given
  const typed = [named].flat().map(String)
  if (defaults?.body && typed.some(hasWildcards)) {
    const input = {params: {}, body: defaults.body}
    await createResolver(context).announce([{id: operation.operationId, input}])
  }
  const words = await expandGlobs(context, typed)
  return {...given, args: {...given.args, [several]: words}}
}

/** Prints deprecation notices. Throws `UsageError` and `ReadOnlyError` for commands that cannot run. */
export async function beginOperation(
  {operation, successors, refuse}: Pick<OperationVerb, 'operation' | 'successors' | 'refuse'>,
  given: Parsed,
  context: Context,
): Promise<void> {
  checkOneReader(given)
  if (successors) {
    const instead = successors.map(successor => `\`drv ${successor}\``).join(' and ')
    context.note(`Note: \`drv ${commandLine(operation)}\` is deprecated. Use ${instead} instead.`)
  }
  for (const note of deprecationNotices(operation, given.flags)) context.note(note)
  await refuseOperation(context, operation, context.command)
  await refuse?.(context)
  context.onInterrupt(() => NOTHING_DONE)
}

/** Runs the operation for each item; returns false if the command line names a single item. */
async function doMany(
  verb: OperationVerb,
  given: Parsed,
  surroundings: RunInputs,
): Promise<boolean> {
  const {several} = verb
  if (!mayBeMany(given, several)) return false
  const mistake = several !== 'path' && filterBehindQuiet(surroundings.argv)
  if (mistake) throw mistake
  const {many} = await import('./many.js')
  const runnerFor = (context: Context) => itemRunner(verb, given, {...surroundings, context})
  return many({...verb, context: surroundings.context, runnerFor}, given)
}

/** Runs the operation for one item. */
async function doOne(verb: OperationVerb, given: Parsed, surroundings: RunInputs): Promise<void> {
  const {operation} = verb
  const {context} = surroundings
  const resolver = createResolver(context)
  const checked = await check(verb, given, surroundings, false)
  const isDryRun = Boolean(given.flags['dry-run'])
  const asked = (input: CallInput) => confirmationOf(verb, [input], given)
  if (!isDryRun) refuseUnconfirmed(context, asked(checked.input))
  await announceNames(operation, [checked], resolver)
  const input = await resolveNames(checked, resolver)
  if (isDryRun) {
    const isPlan = context.options.plan !== undefined
    const known = isPlan ? await withDriveIds(input, checked.words, resolver) : input
    const route = routeOf(verb, known, given, surroundings)
    const original = route.change?.().thing
    if (original === undefined && !isPlan) {
      await checkChanges(context, [{id: operation.operationId, input}])
      return showPlanned(await previewOf(route), given, surroundings)
    }
    const step: Step = {...route, original: original ?? operation.operationId}
    const {printPreview} = await import('./preview.js')
    await printPreview(itemRunner(verb, given, surroundings), [step], {
      isCurl: Boolean(given.flags.curl),
    })
    return
  }
  const send = async (input: CallInput) => {
    const route = routeOf(verb, input, given, surroundings)
    const label = route.change && changedItem(route.change())
    await checkChanges(context, [{id: operation.operationId, input, label}])
    await confirmDestroying(context, asked(input))
    context.onInterrupt(() => requestState(operation.httpMethod))
    if (route.print) return route.print()
    const answer = await sendRoute(route, await context.client())
    await printAnswer(verb, answer, given, surroundings, route.change)
  }
  try {
    await send(input)
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 404) throw error
    const renamed = await resolveDriveNames(input, checked.words, resolver)
    if (!renamed) throw error
    await send(renamed)
  }
}

/** Checks a command line without resolving names. Throws `UsageError`. */
async function check(
  verb: OperationVerb,
  line: Parsed,
  surroundings: RunInputs,
  isRow: boolean,
): Promise<UnresolvedRequest> {
  verb.checkOne?.(line)
  const words = namedItems(verb.operation, line.args, line.flags)
  return {words, input: await readRequest(verb, line, surroundings, isRow)}
}

/** Runs the operation for each of many items. */
export function itemRunner(
  verb: OperationVerb,
  given: Parsed,
  surroundings: RunInputs,
): ItemRunner {
  const {context, printer} = surroundings
  const {operation} = verb
  const {flags} = given
  const columns = selectedColumns(flags.fields, 'record')
  const asked = (inputs: readonly CallInput[]) => confirmationOf(verb, inputs, given)
  return {
    context,
    operation,
    isReading: !isMutating(operation),
    results: {
      output: printer.output,
      isProse: isProse(verb, given, printer),
      isOfLists: isList(operation),
      text: () => (printer.output.array ?? printer.output.list)(printer.layout(columns)),
      prepared: records => printer.prepare(records),
      show: text => printer.show(text),
    },
    check: given => check(verb, given, surroundings, true),
    route: (input, parsed) => routeOf(verb, input, parsed, surroundings),
    mayDestroy: input => !flags.yes && destroys(operation, input) !== false,
    refuseUnconfirmed: inputs => refuseUnconfirmed(context, asked(inputs)),
    async ask(inputs) {
      const calls = inputs.map(input => ({id: operation.operationId, input}))
      await checkChanges(context, calls)
      await confirmDestroying(context, asked(inputs))
    },
    explain: error => context.explain(error),
  }
}

function confirmationOf({operation}: OperationVerb, inputs: readonly CallInput[], {flags}: Parsed) {
  return {operation, inputs, isYes: Boolean(flags.yes)}
}

/** The route of a request (one call unless the verb sets another), and its change. */
function routeOf(
  {operation, route}: OperationVerb,
  input: CallInput,
  parsed: Parsed,
  surroundings: RunInputs,
): Route {
  const own = route?.(input, parsed, surroundings) ?? {call: {id: operation.operationId, input}}
  const change = changeOf(operation, parsed, input)
  if (!change) return own
  return {...own, change: () => ({...change, action: own.actionTaken?.() ?? change.action})}
}

/**
 * Prints the record of the response; without one, nothing, or `{}` as JSON. In a pipe, a record is a row
 * as in a list, so that `--fields id` prints only the ID.
 */
export async function printAnswer(
  verb: OperationVerb,
  answer: Row | undefined,
  parsed: Parsed,
  surroundings: RunInputs,
  change?: () => Change,
): Promise<void> {
  const {context, printer} = surroundings
  const {isBrief, print} = verb
  const {output} = printer
  if (change && isProse(verb, parsed, printer)) {
    const {resultLine, restoreHint} = await import('./change-results.js')
    await printer.printProse(resultLine(change(), answer, context.io.color))
    const hint = restoreHint([change()])
    if (hint !== undefined) context.note(hint)
    return
  }
  const standard = async (answer: Row | undefined) => {
    const columns = selectedColumns(parsed.flags.fields, 'record')
    if (!answer) return printer.isStructured ? printer.record({}) : undefined
    const isRow =
      (output.isRows || (isBrief && output.isForPeople)) &&
      ((context.options.columns ?? columns) !== undefined || hasColumns(answer))
    return isRow ? printer.records([answer], columns) : printer.record(answer, columns)
  }
  await (print ? print(answer, parsed, surroundings, standard) : standard(answer))
}

/** Whether to print the change as a sentence instead of a record. */
export function isProse(
  {operation, print}: Pick<OperationVerb, 'operation' | 'print'>,
  {flags}: Parsed,
  printer: Pick<Printer, 'isProse'>,
): boolean {
  if (!printer.isProse || print || flags.fields !== undefined) return false
  return hasChange(operation)
}

/** Prints a request instead of sending it. */
export async function showPlanned(
  planned: PlannedRequest,
  {flags}: Parsed,
  {context, printer}: RunInputs,
): Promise<void> {
  if (flags.curl) {
    const {curlText} = await import('#lib/cli/guard/curl.js')
    return printer.print(await curlText(context, [planned]))
  }
  const [id, input] = planned
  const request = (await context.client()).prepare(id, input)
  const {requestText} = await import('./preview.js')
  if (!printer.isStructured) return printer.print(requestText(request))
  await printer.print(await printer.output.record({...request}, {width: context.io.width}))
}
