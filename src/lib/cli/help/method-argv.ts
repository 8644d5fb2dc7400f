import {splitAtDashes} from '#lib/cli/terminal/read-argv.js'

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
