import {splitAtDashes} from '#lib/cli/terminal/read-argv.js'

/** A request for help on the command line. */
export interface HelpRequest {
  /** The words of the command or topic, as typed; empty for drv itself. */
  readonly words: readonly string[]
  /** Show every flag in full. */
  readonly isWhole: boolean
}

const HELP = ['--help', '-h', '--help-all']

/** Commands whose `-h` means human-readable sizes, as in coreutils. */
const SIZES = ['du', 'df']

/** The flags that request help for a command. */
function helpFlags([command = '']: readonly string[]): readonly string[] {
  return SIZES.includes(command) ? HELP.filter(flag => flag !== '-h') : HELP
}

/**
 * The request for help in `argv`: a help flag anywhere before `--`, or only the words of a topic;
 * `undefined` otherwise. `argv` has its words before the global flags; `topics` are names with colons.
 * `drv help` reads its own arguments. Pure.
 */
export function readHelpRequest(
  argv: readonly string[],
  topics: readonly string[],
): HelpRequest | undefined {
  const {own} = splitAtDashes(argv)
  const firstFlag = own.findIndex(word => word.startsWith('-'))
  const words = firstFlag < 0 ? own : own.slice(0, firstFlag)
  const isWhole = own.includes('--help-all')
  const flags = helpFlags(words)
  if (own.some(word => flags.includes(word))) {
    // `drv help files list --help-all` is about `files list`.
    const about = words[0] === 'help' && words.length > 1 ? words.slice(1) : words
    return {words: about, isWhole}
  }
  return topics.includes(words.join(':')) ? {words, isWhole} : undefined
}

/** The command line without help flags. Pure. */
export function withoutHelp(argv: readonly string[]): string[] {
  const {own, rest} = splitAtDashes(argv)
  return [...own.filter(word => !HELP.includes(word)), ...rest]
}

/** Replace the help flags when a method is named, so that `drv api call` handles them itself. */
export const METHOD_HELP = '--method-help'
export const METHOD_HELP_ALL = '--method-help-all'

const METHOD_FLAGS: Readonly<Record<string, string>> = {
  '--help': METHOD_HELP,
  '-h': METHOD_HELP,
  '--help-all': METHOD_HELP_ALL,
}

/** Replaces the help flags of `drv api call METHOD` with those that the command reads. Pure. */
export function withMethodHelp(argv: readonly string[]): string[] {
  const [topic, command, ...words] = argv
  const {own, rest} = splitAtDashes(words)
  const isNamed = own.some(word => !word.startsWith('-'))
  if (topic !== 'api' || command !== 'call' || !isNamed) return [...argv]
  return [topic, command, ...own.map(word => METHOD_FLAGS[word] ?? word), ...rest]
}
