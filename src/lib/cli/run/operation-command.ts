import {Flags} from '@oclif/core'
import {
  isMutating,
  isOfSameApi,
  type Operation,
  operation,
  type OperationId,
} from '#lib/api/operations.js'
import {effectOf, impactKindOf} from '#lib/cli/guard/destroys.js'
import {refuseOperation} from '#lib/cli/guard/read-only.js'
import type {FlagValues} from '#lib/cli/input/call-input.js'
import {
  isList,
  manyFlags,
  repeatableArgument,
  withRepeatable,
} from '#lib/cli/input/items/several.js'
import {missingFields} from '#lib/cli/input/missing-inputs.js'
import {argsOf, flagsOf} from '#lib/cli/input/operation-flags.js'
import {SAVED_COLUMNS} from '#lib/cli/output/columns-flag.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {listOptions} from './list-options.js'
import {pathCompletion} from './operation-request.js'
import {runOperation} from './operation-run.js'
import type {Columns} from './printer.js'
import {operationBaseFlags} from './read-line.js'
import {verb} from './verb.js'
import {
  type AnyVerb,
  type Example,
  operationDescription,
  type OperationOptions,
  operationUsage,
  type OperationVerb,
  splitSentence,
} from './verb-description.js'

/** The flag of every command that asks for confirmation. */
export const yesFlag = ranked(1000, Flags.boolean({summary: 'Skip the confirmation.', char: 'y'}))

/** The command of an operation, derived from the description. */
export function operationCommand(
  id: OperationId,
  examples: readonly Example[],
  options?: OperationOptions,
) {
  const described = operationVerb(operation(id), examples, options)
  const {aliases = operationAliases(described.operation)} = described
  return verb({...asVerb(described), aliases})
}

/** Words of other tools for what the API calls otherwise. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  get: ['info', 'show'],
  insert: ['create'],
  list: ['ls'],
}

function operationAliases({resource, verb}: Operation): readonly string[] {
  return (ALIASES[verb] ?? []).map(word => `${resource} ${word}`)
}

/** What a verb of its own says in place of the description. */
type Own = OperationOptions &
  Pick<OperationVerb, 'summary' | 'description' | 'usage' | 'examples' | 'flags'> &
  Partial<Pick<OperationVerb, 'effect' | 'everyDay'>>

/** An everyday verb: one operation with its own texts and flags. */
export function everydayCommand(id: OperationId, own: Own) {
  const {examples, ...options} = own
  const described = {...operationVerb(operation(id), examples, options), ...options}
  return verb({...asVerb(described), isOfApi: false})
}

/** The command of an operation as data. */
export function operationVerb(
  described: Operation,
  examples: readonly Example[],
  given: OperationOptions = {},
): OperationVerb {
  const options = isList(described) ? listOptions(described, given) : given
  // Before additional arguments, no argument of the path can be repeated.
  const several = options.several ?? (options.args ? undefined : repeatableArgument(described))
  const args = withRepeatable({...argsOf(described), ...options.args}, several)
  return {
    ...options,
    several,
    operation: described,
    args,
    flags: {
      ...flagsOf(described, Object.keys(options.defaults?.body ?? {})),
      ...(impactKindOf(described) ? {yes: yesFlag} : {}),
      ...options.flags,
      ...manyFlags,
    },
    effect: effectOf(described),
    summary: splitSentence(described.description)[0],
    usage: operationUsage(described, args),
    description: operationDescription(described, options.more),
    examples,
    state: described.deprecated ? 'deprecated' : undefined,
  }
}

/** Makes an operation a runnable verb. */
export function asVerb(described: OperationVerb): AnyVerb {
  const {operation, operationFor, printing, columns} = described
  return {
    ...described,
    baseFlags: operationBaseFlags,
    isOfApi: true,
    previewsReads: true,
    // Plans know only the built-in operations.
    isPlannable: isOfSameApi(operation.document),
    acceptedScopes: flags => (operationFor?.(flags) ?? operation).scopes,
    // The names of another API can mean something else.
    asksForText: !isOfSameApi(operation.document),
    columns: flags => columns ?? columnsOf(operationFor?.(flags) ?? operation, flags),
    printing: (flags, context) => ({
      ...printing?.(context.options),
      complete: pathCompletion(described, flags, context),
      // Never page the result of a change.
      isPaged: context.options.dryRun || !isMutating(operationFor?.(flags) ?? operation),
    }),
    beforeAsking: context => refuseOperation(context, operation, context.command),
    // Required fields of the body.
    missing({flags}) {
      if (!operation.request || flags.body !== undefined || flags.from !== undefined) return []
      return missingFields(operation, flags, Object.keys(described.defaults?.body ?? {}))
    },
    run: (line, context, printer) => runOperation(described, line, context, printer),
  }
}

/** The columns of the response, or of saved content. */
function columnsOf(of: Operation, {output}: FlagValues): Columns {
  if (output === undefined) return {of}
  return output === '-' ? [] : SAVED_COLUMNS
}
