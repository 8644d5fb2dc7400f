import {Flags, type Interfaces} from '@oclif/core'
import type {Context} from '#lib/cli/context/context.js'
import {quietMistake} from '#lib/cli/explain/parse-errors.js'
import {refusedFlags} from '#lib/cli/guard/refused-flags.js'
import {normalizeArgv, optionalValue} from '#lib/cli/input/argv.js'
import type {FlagValues} from '#lib/cli/input/call-input.js'
import {hasFrom, optional, optionalArgs} from '#lib/cli/input/items/several.js'
import {type MissingInput, missingInputs, type PartialInput} from '#lib/cli/input/missing-inputs.js'
import {formats} from '#lib/cli/output/formats.js'
import {GLOBAL_FLAGS, type GlobalFlag} from '#lib/cli/output/global-flags.js'
import type {AnyVerb, ParsedLine} from './verb-description.js'

/** The global flags as oclif's flags. */
export const baseFlags = flagsOf(
  Object.entries(GLOBAL_FLAGS).filter(([, {isOfOperations}]) => !isOfOperations),
)

/** The global flags with an additional content format in `--format`. */
export function baseFlagsWithFormat(name: string): Interfaces.FlagInput {
  const {format} = baseFlags as {format: Interfaces.OptionFlag<string | undefined>}
  return {...baseFlags, format: {...format, options: [...Object.keys(formats), name]}}
}

/** The global flags of commands that are one operation. */
export const operationBaseFlags = flagsOf(
  Object.entries(GLOBAL_FLAGS).map(([name, flag]) => [
    name,
    {...flag, summary: flag.operationSummary ?? flag.summary},
  ]),
)

/** The global flags of a verb; those that mean nothing for it are hidden, and refused. */
export function baseFlagsOf(verb: AnyVerb): Interfaces.FlagInput {
  const refused: readonly string[] = refusedFlags(verb)
  const shown = Object.entries(verb.baseFlags ?? baseFlags).map(([name, flag]) => [
    name,
    refused.includes(name) ? {...flag, hidden: true} : flag,
  ])
  return Object.fromEntries(shown) as Interfaces.FlagInput
}

function flagsOf(
  flags: ReadonlyArray<readonly [name: string, flag: GlobalFlag]>,
): Interfaces.FlagInput {
  const all = flags.map(([name, {type, char, summary, helpValue}]) => {
    const shown = {summary, char: char as 'n' | undefined, helpGroup: 'GLOBAL'}
    if (type === 'boolean') return [name, Flags.boolean(shown)]
    const options = name === 'format' ? {options: Object.keys(formats)} : {}
    return [name, Flags.string({...shown, helpValue, ...options})]
  })
  return Object.fromEntries(all) as Interfaces.FlagInput
}

/** The input of oclif's parser. */
export interface ParserOptions {
  readonly args: Interfaces.ArgInput
  readonly flags: Interfaces.FlagInput
  readonly baseFlags: Interfaces.FlagInput
  readonly strict: boolean
}

/** The functions that reading a command line needs. */
interface Reader {
  /** oclif's parser. */
  parse(
    inputs: ParserOptions,
    words: string[],
  ): Promise<{args: FlagValues; flags: FlagValues; argv: unknown[]}>
  /** drv can prompt for missing inputs. */
  readonly mayAsk: boolean
  /** The context for the given flags. */
  contextOf(flags: FlagValues): Context
  /** The command as typed after `drv`. */
  readonly command: string
}

/** Parses the command line of a verb and prompts for missing inputs. Throws oclif's parse errors. */
export async function readCommandLine(
  verb: AnyVerb,
  typed: readonly string[],
  {parse, mayAsk, contextOf, command}: Reader,
): Promise<ParsedLine> {
  const inputs = inputsOf(verb, typed)
  const known = {...inputs.baseFlags, ...inputs.flags}
  const required = Object.values(inputs.args).filter(arg => arg.required).length
  const argv = verb.bareFlag ? optionalValue(typed, verb.bareFlag, required, known) : typed
  const words = normalizeArgv(verb.ownArgv?.(argv, known) ?? argv, known)
  const read = async (words: string[], more?: Partial<ParserOptions>): Promise<ParsedLine> => {
    const {args, flags, argv: others} = await parse({...inputs, ...more}, words)
    return {args, flags, argv, words: others as string[]}
  }
  const missing = (given: PartialInput): readonly MissingInput[] => {
    const needs = missingInputs(inputs, given)
    const known = verb.asksForText ? needs.map(need => ({...need, kind: 'text' as const})) : needs
    return [...known, ...(verb.missing?.(given) ?? [])]
  }
  const reading = read(words).catch((error: unknown) => {
    throw quietMistake(error, argv, Object.keys(known)) ?? error
  })
  if (!mayAsk) return reading
  // Other errors are reported as usual.
  const parsed = await reading.catch(() => undefined)
  if (parsed && missing(parsed).length === 0) return parsed
  const asFar = {args: optionalArgs(inputs.args), flags: optional(inputs.flags)}
  const given = await read(words, asFar).catch(() => undefined)
  const needs = given ? missing(given) : []
  if (!given || needs.length === 0) return reading
  const context = contextOf(given.flags)
  await verb.beforeAsking?.(context)
  const {askForMissing} = await import('#lib/cli/input/ask-missing.js')
  return read(await askForMissing(context, words, given, needs, command))
}

/** The inputs to parse; with `--from`, none is required. */
function inputsOf(verb: AnyVerb, argv: readonly string[]): ParserOptions {
  const {args = {}, flags = {}, strict = true} = verb
  const inputs = {args, flags, baseFlags: verb.baseFlags ?? baseFlags, strict}
  if (!('from' in flags && hasFrom(argv))) return inputs
  return {...inputs, args: optionalArgs(args), flags: optional(flags)}
}
