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
  const end = words.indexOf('--')
  const own = end < 0 ? words : words.slice(0, end)
  const isNamed = own.some(word => !word.startsWith('-'))
  if (topic !== 'api' || command !== 'call' || !isNamed) return [...argv]
  return argv.map((word, at) => (end < 0 || at < end + 2 ? (STAND_INS[word] ?? word) : word))
}
