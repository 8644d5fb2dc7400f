import type {Hook} from '@oclif/core'
import {UsageError} from './errors.js'
import {explain, failureJson, failureText} from '../explain/explain.js'
import {quietTakesNothing, wordBehindQuiet} from '../arguments/parsing.js'
import {foreignMeaning} from './foreign.js'
import {nearest} from '../../api/nearest.js'
import {withoutSecrets} from './environment.js'
import {wantsJson} from './options.js'

/** What oclif calls for a command that is none: one sentence, and the nearest one that is. */
const unknownCommand: Hook<'command_not_found'> = async ({id, argv = [], config, context}) => {
  const typed = id.replaceAll(':', ' ')
  const names = config.commands
    .filter(({hidden}) => !hidden)
    .map(command => command.id.replaceAll(':', ' '))
  // The words behind a command that takes no arguments count as part of its name here.
  const whole = names.find(name => typed.startsWith(`${name} `))
  // What a word means elsewhere says more than how it is spelt.
  const [, behindFiles] = /^files? (\S+)/.exec(typed) ?? []
  const foreign = [behindFiles ?? [], foreignMeaning(typed) ?? []]
    .flat()
    .filter(name => names.includes(name))
  const [first = ''] = typed.split(' ')
  // The words behind a command of one word are its own.
  const verbs = names.filter(name => !name.includes(' '))
  const close = nearest(typed, names) ?? nearest(first, verbs)
  const meant = foreign.length > 0 ? foreign : close === undefined ? [] : [close]
  const all = names.some(name => name.startsWith(`${first} `))
    ? `drv ${first} --help`
    : 'drv --help'
  const error =
    (meant.length === 0 || whole ? quietMistaken(typed, whole) : undefined) ??
    (whole
      ? new UsageError(
          `\`drv ${whole}\` takes no argument, such as "${typed.slice(whole.length + 1)}".`,
        )
      : new UsageError(
          `There is no command \`drv ${typed}\`.`,
          meant.length > 0 ? `Did you mean ${listed(meant)}?` : `\`${all}\` shows what there is.`,
        ))
  const failure = explain(error, {command: whole, flags: [], environmentToken: false})
  const text = wantsJson(argv, process.env) ? failureJson(failure) : failureText(failure)
  process.stderr.write(withoutSecrets(`${text}\n`, process.env))
  context.exit(failure.exit)
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
