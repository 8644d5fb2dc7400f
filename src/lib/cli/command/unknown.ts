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
  const foreign = foreignMeaning(typed)?.filter(name => names.includes(name)) ?? []
  const close = nearest(typed, names)
  const meant = foreign.length > 0 ? foreign : close === undefined ? [] : [close]
  const behind = wordBehindQuiet(process.argv.slice(2))
  const quieted = behind !== undefined && typed.startsWith(behind) ? behind : undefined
  const [topic = ''] = typed.split(' ')
  const all = names.some(name => name.startsWith(`${topic} `))
    ? `drv ${topic} --help`
    : 'drv --help'
  const error = whole
    ? new UsageError(
        `\`drv ${whole}\` takes no argument, such as "${typed.slice(whole.length + 1)}".`,
      )
    : quieted !== undefined && meant.length === 0
      ? quietTakesNothing(quieted, ['q'])
      : new UsageError(
          `There is no command \`drv ${typed}\`.`,
          meant.length > 0 ? `Did you mean ${listed(meant)}?` : `\`${all}\` shows what there is.`,
        )
  const failure = explain(error, {command: whole, flags: [], environmentToken: false})
  const text = wantsJson(argv, process.env) ? failureJson(failure) : failureText(failure)
  process.stderr.write(withoutSecrets(`${text}\n`, process.env))
  context.exit(failure.exit)
}

function listed(names: readonly string[]): string {
  return names.map(name => `\`drv ${name}\``).join(' or ')
}

export default unknownCommand
