import {explain, failureText} from '#lib/cli/explain/explain.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {createSay} from '#lib/cli/terminal/say.js'
import {aliasFile, expandAlias, splitLine} from '#lib/config/aliases.js'
import {directories, systemHome} from '#lib/config/paths.js'

/**
 * The command line that one with an alias in front stands for; `undefined` where its first word is no
 * alias. Ends the process where the alias takes more words.
 */
export function unaliased([name = '', ...rest]: readonly string[]): readonly string[] | undefined {
  const aliases = aliasFile(directories(process.env, systemHome).config).read() ?? {}
  const words = Object.hasOwn(aliases, name) ? splitLine(aliases[name]!) : undefined
  if (!words) return undefined
  const expansion = expandAlias(words, rest)
  if ('argv' in expansion) return expansion.argv
  const error = new UsageError(
    `The alias ${name} takes more words: $${expansion.lacks} is missing.`,
    `It stands for: ${aliases[name]!}`,
  )
  const failure = explain(error, {flags: [], environmentToken: false})
  createSay(process.stderr, process.env)(failureText(failure))
  process.exit(failure.exit)
}
