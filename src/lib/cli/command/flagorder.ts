/** The flags of every command, and whether they take a value; the base command has them in full. */
export const globalFlags: Readonly<Record<string, 'boolean' | 'value'>> = {
  profile: 'value',
  json: 'boolean',
  format: 'value',
  columns: 'value',
  jq: 'value',
  quiet: 'boolean',
  verbose: 'boolean',
  debug: 'boolean',
  'no-input': 'boolean',
  'no-probe': 'boolean',
  timeout: 'value',
  'dry-run': 'boolean',
}

/** As many words as the name of a command has at most: `local user add`. */
const MOST_WORDS = 3

/**
 * The command line with the global flags behind the first words, for oclif takes what stands there
 * for the command's name. What comes behind an unknown flag or `--` stays where it is. Pure.
 */
export function wordsFirst(argv: readonly string[]): string[] {
  const words: string[] = []
  const flags: string[] = []
  let at = 0
  while (at < argv.length && words.length < MOST_WORDS) {
    const word = argv[at]!
    if (!word.startsWith('-')) {
      words.push(word)
      at += 1
      continue
    }
    const [, name = '', value] = /^--([\w-]+)(=.*)?$/s.exec(word) ?? []
    if (!Object.hasOwn(globalFlags, name)) break
    const length = globalFlags[name] === 'value' && value === undefined ? 2 : 1
    flags.push(...argv.slice(at, at + length))
    at += length
  }
  return words.length === 0 ? [...argv] : [...words, ...flags, ...argv.slice(at)]
}
