import type {Hook} from '@oclif/core'
import {explain, failureJson, failureText} from '#lib/cli/explain/explain.js'
import {foreignMeaning, quietTakesNothing, wordBehindQuiet} from '#lib/cli/explain/parse-errors.js'
import {wantsJson} from '#lib/cli/output/global-options.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {createSay} from '#lib/cli/terminal/say.js'
import {nearest} from '#lib/platform/nearest.js'
import type {Manifest} from './manifest.js'
import {pages} from './pages.js'

/** What oclif calls for a command that is none: one sentence, and the nearest one that is. */
const unknownCommand: Hook<'command_not_found'> = async ({id, argv = [], config, context}) => {
  const typed = id.replaceAll(':', ' ')
  const names = config.commands
    .filter(({hidden}) => !hidden)
    .map(command => command.id.replaceAll(':', ' '))
  // The words behind a command that takes no arguments count as part of its name here.
  const whole = names.find(name => typed.startsWith(`${name} `))
  const error =
    (meanings(typed, names).length === 0 || whole ? quietMistaken(typed, whole) : undefined) ??
    (whole
      ? new UsageError(
          `\`drv ${whole}\` takes no argument, such as "${typed.slice(whole.length + 1)}".`,
        )
      : unknownError(typed, names))
  const failure = explain(error, {command: whole, flags: [], environmentToken: false})
  const text = wantsJson(argv, process.env) ? failureJson(failure) : failureText(failure)
  createSay(process.stderr, process.env)(text)
  context.exit(failure.exit)
}

/** The error for words that are no command, with those of `names` that may be meant. */
export function unknownError(typed: string, names: readonly string[]): UsageError {
  const [first = '', second] = typed.split(' ')
  if (first.startsWith('-')) {
    return new UsageError(
      `There is no flag ${first} without a command.`,
      '`drv --help` shows what there is.',
    )
  }
  const meant = meanings(typed, names)
  const isTopic = names.some(name => name.startsWith(`${first} `))
  const all = isTopic ? `drv ${first} --help` : 'drv --help'
  // What stands behind may be arguments.
  const isTwo =
    isTopic || (foreignMeaning(typed).length === 0 && meant.some(other => other.includes(' ')))
  const name = isTwo && second !== undefined ? `${first} ${second}` : first
  return new UsageError(
    `There is no command \`drv ${name}\`.`,
    meant.length > 0 ? `Did you mean ${listed(meant)}?` : `\`${all}\` shows what there is.`,
  )
}

/** The commands that words may mean which are none. */
function meanings(typed: string, names: readonly string[]): readonly string[] {
  // What a word means elsewhere says more than how it is spelt.
  const [, behindFiles] = /^files? (\S+)/.exec(typed) ?? []
  const foreign = [behindFiles ?? [], foreignMeaning(typed)]
    .flat()
    .filter(name => names.includes(name))
  if (foreign.length > 0) return foreign
  const [first = ''] = typed.split(' ')
  // The words behind a command of one word are its own.
  const verbs = names.filter(name => !name.includes(' '))
  const close = nearest(typed, names) ?? nearest(first, verbs)
  return close === undefined ? [] : [close]
}

/** The error of a line whose first superfluous word stands behind `-q`. */
function quietMistaken(typed: string, whole: string | undefined): UsageError | undefined {
  const word = wordBehindQuiet(process.argv.slice(2))
  const rest = whole === undefined ? typed : typed.slice(whole.length + 1)
  // oclif's name of a command has colons for blanks.
  const isFirst = word !== undefined && rest.startsWith(word.replaceAll(':', ' '))
  return isFirst ? quietTakesNothing(word, ['q']) : undefined
}

function listed(names: readonly string[]): string {
  return names.map(name => `\`drv ${name}\``).join(' or ')
}

export default unknownCommand

/** The error for words that there is no help for, with those that may be meant. */
export function noHelp(words: readonly string[], {commands, topics}: Manifest): UsageError {
  const typed = words.join(' ')
  const page = nearest(
    typed,
    pages.map(({name}) => name),
  )
  if (page)
    return new UsageError(`There is no help on "${typed}".`, `Did you mean \`drv help ${page}\`?`)
  const ids = [...Object.keys(commands), ...Object.keys(topics)]
  return unknownError(
    typed,
    ids.map(id => id.replaceAll(':', ' ')),
  )
}
