import {Flags, type Interfaces} from '@oclif/core'
import {listField, type Operation, pathParameters} from '#lib/api/operations.js'
import type {Parsed} from '#lib/cli/input/call-input.js'
import {argumentName} from '#lib/cli/input/parameter-flags.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {ranked, readArgv} from '#lib/cli/terminal/read-argv.js'

/**
 * Arguments and flags of commands that accept several items. `lib/transfer/many` sends their requests.
 */

/**
 * The name of an operation's repeatable argument: its last one, which identifies the item. `undefined` for
 * lists and operations without arguments.
 */
export function repeatableArgument(operation: Operation): string | undefined {
  const last = pathParameters(operation).at(-1)
  return last === undefined || isList(operation) ? undefined : argumentName(last)
}

/** Whether an operation returns a list. */
export function isList(operation: Operation): boolean {
  return listField(operation) !== undefined
}

const FROM_STDIN = 'Use - to read a list from standard input.'
const REPEATABLE = 'Accepts several, or - to read them from standard input.'

/** The arguments, with `several` made repeatable. */
export function withRepeatable(
  args: Interfaces.ArgInput,
  several: string | undefined,
): Interfaces.ArgInput {
  const {[several ?? '']: argument} = args
  if (several === undefined || !argument) return args
  // For a local path, `-` means its content.
  const isLast = Object.keys(args).at(-1) === several
  const more = several === 'path' ? 'Accepts several.' : isLast ? REPEATABLE : FROM_STDIN
  const description = [argument.description, more].filter(Boolean).join(' ')
  // Only the last argument can be repeated.
  return {...args, [several]: {...argument, description, multiple: isLast}}
}

/** The flags for running an operation on many items. */
export const manyFlags = {
  from: ranked(
    1018,
    Flags.string({
      summary: 'Run once for each record in FILE (NDJSON, or CSV or TSV with a header).',
      helpValue: 'FILE|-',
      helpGroup: 'MANY',
    }),
  ),
  concurrency: ranked(
    1006,
    Flags.string({
      summary: 'Maximum number of concurrent requests (default: adaptive).',
      helpValue: 'N',
      helpGroup: 'MANY',
    }),
  ),
  'fail-fast': ranked(
    1020,
    Flags.boolean({
      summary: 'Stop at the first failure.',
      helpGroup: 'MANY',
    }),
  ),
  checkpoint: ranked(
    1019,
    Flags.string({
      summary: 'Record progress in FILE; run the same command again to resume.',
      helpValue: 'FILE',
      helpGroup: 'MANY',
    }),
  ),
}

/** Whether parsed input may have several items: several arguments, `-`, `--from` or `--checkpoint`. */
export function mayBeMany({args, flags}: Parsed, several: string | undefined): boolean {
  const words = several === undefined ? [] : [args[several]].flat()
  const {from, checkpoint} = flags
  return words.length > 1 || words[0] === '-' || from !== undefined || checkpoint !== undefined
}

/** Whether argv contains `--from`. */
export function hasFrom(argv: readonly string[]): boolean {
  return readArgv(argv, {from: {type: 'option'}}).some(({names}) => names.includes('from'))
}

/** The arguments made optional, because records can provide them. */
export function optionalArgs(args: Interfaces.ArgInput): Interfaces.ArgInput {
  const all = Object.entries(optional(args))
  // oclif does not allow a repeatable argument after an optional one.
  const isOnly = all.length === 1
  return Object.fromEntries(
    all.map(([name, arg]) => [name, {...arg, multiple: isOnly && arg.multiple}]),
  )
}

/** The arguments or flags, all optional. */
export function optional<T extends Interfaces.ArgInput | Interfaces.FlagInput>(inputs: T): T {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, input]) => [name, {...input, required: false}]),
  ) as T
}

/** Throws `UsageError` if standard input is used more than once. */
export function checkOneReader({args, flags}: Parsed): void {
  const words = Object.values(args).flat()
  const readers = [
    ...(flags.from === '-' ? ['--from -'] : []),
    ...(flags.body === '-' ? ['--body -'] : []),
    ...words.filter(word => word === '-'),
  ]
  if (readers.length < 2) return
  throw new UsageError(
    `Cannot read standard input twice: ${readers.join(' and ')}.`,
    'Save one of the inputs to a file.',
  )
}
