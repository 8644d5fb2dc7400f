import type {Command, Config} from '@oclif/core'

/** Help of commands that are made when they are called, which oclif's manifest does not have. */

/** What stands for `--help` where a method is named, so that the command finds it first. */
export const METHOD_HELP = '--method-help'

/** The command line with `--help` of a method that `drv api call` names given another way. Pure. */
export function withMethodHelp(argv: readonly string[]): string[] {
  const [topic, command, ...words] = argv
  const end = words.indexOf('--')
  const own = end < 0 ? words : words.slice(0, end)
  const isHelp = (word: string) => word === '--help' || word === '-h'
  const isNamed = own.some(word => !word.startsWith('-'))
  if (topic !== 'api' || command !== 'call' || !own.some(isHelp) || !isNamed) return [...argv]
  return argv.map((word, at) => (isHelp(word) && (end < 0 || at < end + 2) ? METHOD_HELP : word))
}

/** Writes the help of a command as oclif writes that of others. */
export async function showHelp(command: typeof Command, config: Config): Promise<void> {
  const {loadHelpClass} = await import('@oclif/core/help')
  const Help = await loadHelpClass(config)
  const named = <T extends object>(all: Record<string, T>) =>
    Object.fromEntries(Object.entries(all).map(([name, one]) => [name, {...one, name}]))
  const {id, summary, description, usage, examples, state} = command
  const shown = {
    ...{id, summary, description, usage, examples, state},
    aliases: [],
    hiddenAliases: [],
    args: named(command.args),
    flags: named({...command.flags, ...command.baseFlags}),
  }
  const help = new Help(config, config.pjson.oclif.helpOptions)
  await help.showCommandHelp(shown as unknown as Command.Loadable, [])
}
