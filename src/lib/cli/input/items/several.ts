import {Flags, type Interfaces} from '@oclif/core'
import {listField, type Operation, pathParameters} from '#lib/api/operations.js'
import type {Parsed} from '#lib/cli/input/call-input.js'
import {argumentName} from '#lib/cli/input/parameter-flags.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {ranked, readArgv} from '#lib/cli/terminal/read-argv.js'

/**
 * One command line for many things: which may be several, what is read for each, and what is written
 * of all. How they are sent belongs to `../../transfer/many`.
 */

/**
 * The argument of an operation that may be several: its last one, which names the thing acted on. A
 * list acts on none.
 */
export function severalArgument(operation: Operation): string | undefined {
  const last = pathParameters(operation).at(-1)
  return last === undefined || isList(operation) ? undefined : argumentName(last)
}

/** Whether an operation answers with a list. */
export function isList(operation: Operation): boolean {
  return listField(operation) !== undefined
}

const LINES = '- reads a list of them from standard input.'
const MORE = 'Several may be named, or - for the lines of standard input.'

/** The same arguments, of which one may be several. */
export function withSeveral(
  args: Interfaces.ArgInput,
  several: string | undefined,
): Interfaces.ArgInput {
  const {[several ?? '']: argument} = args
  if (several === undefined || !argument) return args
  // Of a path `-` is the content itself.
  const isLast = Object.keys(args).at(-1) === several
  const more = several === 'path' ? 'Several may be named.' : isLast ? MORE : LINES
  const description = [argument.description, more].filter(Boolean).join(' ')
  // Before other arguments a word is one alone.
  return {...args, [several]: {...argument, description, multiple: isLast}}
}

/** The flags that every operation has because it can be done many times. */
export const manyFlags = {
  from: ranked(
    1018,
    Flags.string({
      summary: 'Do it for each record of a file: NDJSON, or CSV or TSV with a header.',
      helpValue: 'FILE|-',
      helpGroup: 'MANY',
    }),
  ),
  concurrency: ranked(
    1006,
    Flags.string({
      summary: 'Have so many requests under way, rather than as many as the service keeps up with.',
      helpValue: 'N',
      helpGroup: 'MANY',
    }),
  ),
  'fail-fast': ranked(
    1020,
    Flags.boolean({
      summary: 'Begin nothing more once something failed.',
      helpGroup: 'MANY',
    }),
  ),
  checkpoint: ranked(
    1019,
    Flags.string({
      summary: 'Note in this file what is done, so that the same line again does only the rest.',
      helpValue: 'FILE',
      helpGroup: 'MANY',
    }),
  ),
}

/** Whether a command line may be about many things; what it names says whether it is. */
export function mayBeMany({args, flags}: Parsed, several: string | undefined): boolean {
  const words = several === undefined ? [] : [args[several]].flat()
  const {from, checkpoint} = flags
  return words.length > 1 || words[0] === '-' || from !== undefined || checkpoint !== undefined
}

/** Whether a command line has records to read. */
export function hasFrom(argv: readonly string[]): boolean {
  return readArgv(argv, {from: {type: 'option'}}).some(({names}) => names.includes('from'))
}

/** The same arguments, none of them needed, because records may bring them; only an only one may be several. */
export function optionalArgs(args: Interfaces.ArgInput): Interfaces.ArgInput {
  const all = Object.entries(optional(args))
  // oclif takes no several behind one that may be left out.
  const isOnly = all.length === 1
  return Object.fromEntries(
    all.map(([name, arg]) => [name, {...arg, multiple: isOnly && arg.multiple}]),
  )
}

/** The same arguments or flags, none of them needed. */
export function optional<T extends Interfaces.ArgInput | Interfaces.FlagInput>(inputs: T): T {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, input]) => [name, {...input, required: false}]),
  ) as T
}

/** Throws `UsageError` where standard input would have to be read twice. */
export function checkOneReader({args, flags}: Parsed): void {
  const words = Object.values(args).flat()
  const readers = [
    ...(flags.from === '-' ? ['--from -'] : []),
    ...(flags.body === '-' ? ['--body -'] : []),
    ...words.filter(word => word === '-'),
  ]
  if (readers.length < 2) return
  throw new UsageError(
    `Standard input can be read only once, not by ${readers.join(' and by ')}.`,
    'Put one of them into a file.',
  )
}
