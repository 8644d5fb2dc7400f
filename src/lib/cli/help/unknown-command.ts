import type {Hook} from '@oclif/core'
import {explain, failureJson, failureText, isSecretFlag} from '#lib/cli/explain/explain.js'
import {quietTakesNothing, wordBehindQuiet} from '#lib/cli/explain/parse-errors.js'
import {COMMAND_LINES, filledLine, OPERATION_WORDS} from '#lib/cli/output/command-lines.js'
import {flagsLast} from '#lib/cli/output/global-flags.js'
import {wantsJson} from '#lib/cli/output/global-options.js'
import {hintsFor} from '#lib/cli/output/hints.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {createSay} from '#lib/cli/terminal/say.js'
import {nearest} from '#lib/platform/nearest.js'
import {joinWithOr} from '#lib/platform/values.js'
import {aliasesOf} from './command-alias.js'
import {type Manifest, readCommandIndex} from './manifest.js'
import {pages} from './pages.js'

/** oclif's hook for an unknown command: prints an error and the most similar command. */
const unknownCommand: Hook<'command_not_found'> = async ({id, argv = [], config, context}) => {
  const words = wordsOf(id)
  const typed = words.join(' ')
  const names = config.commands
    .filter(({hidden}) => !hidden)
    .map(command => command.id.replaceAll(':', ' '))
  const aliases = aliasesOf(readCommandIndex(config.root))
  // oclif adds the words after a command without arguments to its name.
  const whole = names.find(name => typed.startsWith(`${name} `))
  const error =
    (linesMeant(words, names, aliases).length === 0 || whole
      ? quietMistaken(typed, whole)
      : undefined) ??
    (whole
      ? new UsageError(
          `\`drv ${whole}\` takes no arguments, but got "${typed.slice(whole.length + 1)}".`,
          placed(whole, typed.slice(whole.length + 1)),
        )
      : unknownError([...words, ...(argv.some(isSecretFlag) ? [] : argv)], names, aliases))
  const failure = explain(error, {command: whole, flags: [], environmentToken: false})
  const text = wantsJson(argv, process.env) ? failureJson(failure) : failureText(failure)
  createSay(process.stderr, process.env)(text)
  context.exit(failure.exit)
}

/** The words that oclif took as a command name; oclif joins them with colons. */
function wordsOf(id: string): readonly string[] {
  const line = flagsLast(process.argv.slice(2))
  const count = line.findIndex((_, at) => line.slice(0, at + 1).join(':') === id) + 1
  return count > 0 ? line.slice(0, count) : id.split(':')
}

/** The error for an unknown command, with the likely commands. */
export function unknownError(
  words: readonly string[],
  names: readonly string[],
  aliases: Aliases = {},
): UsageError {
  const [first = '', second] = words
  if (first.startsWith('-')) {
    return new UsageError(
      `Unknown flag ${first}.`,
      first === '-v' ? 'Did you mean `drv --version`?' : 'Run `drv --help` to see all commands.',
    )
  }
  const meant = linesMeant(words, names, aliases)
  const isTopic = names.some(name => name.startsWith(`${first} `))
  const all = isTopic ? `drv ${first} --help` : 'drv --help'
  // Later words can be arguments.
  const name = isTopic && second !== undefined ? `${first} ${second}` : first
  return new UsageError(
    `Unknown command \`drv ${name}\`.`,
    meant.length > 0 ? `Did you mean ${listed(meant)}?` : `Run \`${all}\` to see all commands.`,
  )
}

/** Command lines by the commands of other tools. */
type Aliases = Readonly<Record<string, string>>

/** The likely command lines for words that do not start with a command. */
function linesMeant(
  words: readonly string[],
  names: readonly string[],
  aliases: Aliases,
): readonly string[] {
  const [first = '', second = '', ...behind] = words
  const isThere = (line: string) =>
    line.startsWith('--') || names.some(name => line === name || line.startsWith(`${name} `))
  const aliased = (word: string) => {
    const key = word.replaceAll(/[-_]/g, '').toLowerCase()
    return Object.hasOwn(aliases, key) ? [aliases[key]!] : []
  }
  const linesOf = (word: string, rest: readonly string[]) =>
    [...aliased(word), ...hintsFor('commands', word)]
      .filter(isThere)
      .map(line => filledLine(line, rest))
  // The meaning of a word in another tool is a better guess than a similar spelling.
  const ofTwo = second.includes('/')
    ? linesOf(`${first} /`, words.slice(1))
    : linesOf(`${first} ${second}`, behind)
  if (ofTwo.length > 0) return ofTwo
  const ofSecond = /^files?$/i.test(first) ? linesOf(second, behind) : []
  if (ofSecond.length > 0) return ofSecond
  const ofFirst = linesOf(first, words.slice(1))
  if (ofFirst.length > 0) return ofFirst
  const inTopic = Object.entries(OPERATION_WORDS)
    .filter(([, all]) => all.includes(second.toLowerCase()))
    .map(([operation]) => `${first} ${operation}`)
    .find(name => names.includes(name))
  if (inTopic !== undefined) return [filledLine(inTopic, behind)]
  // After a command of one word, the other words are its arguments.
  const verbs = [...names, ...Object.keys(aliases)].filter(name => !name.includes(' '))
  const close = nearest([first, second].join(' ').trim(), names) ?? nearest(words.join(' '), names)
  if (close !== undefined) return [close]
  const verb = nearest(first, verbs)
  return verb === undefined ? [] : [filledLine(aliases[verb] ?? verb, words.slice(1))]
}

/** The error if the first unexpected word follows `-q`. */
function quietMistaken(typed: string, whole: string | undefined): UsageError | undefined {
  const word = wordBehindQuiet(process.argv.slice(2))
  const rest = whole === undefined ? typed : typed.slice(whole.length + 1)
  // oclif joins the words of a command name with colons.
  const isFirst = word !== undefined && rest.startsWith(word.replaceAll(':', ' '))
  return isFirst ? quietTakesNothing(word, ['q']) : undefined
}

/** The line that an argument belongs to, where a flag of the command takes it. */
function placed(command: string, argument: string): string | undefined {
  const line = Object.keys(COMMAND_LINES).find(
    line => line.startsWith(`${command} `) && line.includes('$1='),
  )
  return line && `Did you mean ${listed([filledLine(line, argument.split(' '))])}?`
}

function listed(lines: readonly string[]): string {
  return joinWithOr(lines.map(line => `\`drv ${line}\``))
}

export default unknownCommand

/** The error for words without a help page, with the likely pages or commands. */
export function noHelp(words: readonly string[], {commands, topics}: Manifest): UsageError {
  const typed = words.join(' ')
  const page = nearest(
    typed,
    pages.map(({name}) => name),
  )
  if (page) return new UsageError(`No help for "${typed}".`, `Did you mean \`drv help ${page}\`?`)
  const ids = [...Object.keys(commands), ...Object.keys(topics)]
  return unknownError(
    words,
    ids.map(id => id.replaceAll(':', ' ')),
    aliasesOf(Object.values(commands)),
  )
}
