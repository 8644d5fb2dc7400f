import {splitAtDashes} from '#lib/cli/terminal/read-argv.js'

/** What a command line asks to be told. */
export interface Asked {
  /** The words that say of what, as they were typed; none for drv itself. */
  readonly words: readonly string[]
  /** Every flag in full, however long that gets. */
  readonly isWhole: boolean
}

const HELP = ['--help', '-h', '--help-all']

/** Commands in which `-h` stands for sizes that people read, as in coreutils. */
const SIZES = ['du', 'df']

/** The flags that ask for help of the command that some words name. */
function helpFlags([command = '']: readonly string[]): readonly string[] {
  return SIZES.includes(command) ? HELP.filter(flag => flag !== '-h') : HELP
}

/**
 * Whether a command line asks for help: by a flag before `--`, wherever it stands, or by the words of
 * a topic alone. `argv` has its words in front of the global flags, `topics` their names with colons.
 * What `drv help` asks for is known to that command. Pure.
 */
export function askedFor(argv: readonly string[], topics: readonly string[]): Asked | undefined {
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

/** The command line without the flags that ask for help. Pure. */
export function withoutHelp(argv: readonly string[]): string[] {
  const {own, rest} = splitAtDashes(argv)
  return [...own.filter(word => !HELP.includes(word)), ...rest]
}

/** What stands for a flag for help where a method is named, so that the command finds it first. */
export const METHOD_HELP = '--method-help'
export const METHOD_HELP_ALL = '--method-help-all'

const STAND_INS: Readonly<Record<string, string>> = {
  '--help': METHOD_HELP,
  '-h': METHOD_HELP,
  '--help-all': METHOD_HELP_ALL,
}

/** The command line with `--help` of a method that `drv api call` names given another way. Pure. */
export function withMethodHelp(argv: readonly string[]): string[] {
  const [topic, command, ...words] = argv
  const {own, rest} = splitAtDashes(words)
  const isNamed = own.some(word => !word.startsWith('-'))
  if (topic !== 'api' || command !== 'call' || !isNamed) return [...argv]
  return [topic, command, ...own.map(word => STAND_INS[word] ?? word), ...rest]
}
