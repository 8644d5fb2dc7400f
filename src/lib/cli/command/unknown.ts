import type {Hook} from '@oclif/core'
import {UsageError} from './errors.js'
import {explain, failureJson, failureText} from '../explain/explain.js'
import {nearest} from '../../api/nearest.js'
import {withoutSecrets} from './environment.js'

/** What oclif calls for a command that is none: one sentence, and the nearest one that is. */
const unknownCommand: Hook<'command_not_found'> = async ({id, argv = [], config, context}) => {
  const typed = id.replaceAll(':', ' ')
  const names = config.commands
    .filter(({hidden}) => !hidden)
    .map(command => command.id.replaceAll(':', ' '))
  // The words behind a command that takes no arguments count as part of its name here.
  const whole = names.find(name => typed.startsWith(`${name} `))
  const meant = whole ?? nearest(typed, names)
  const [topic = ''] = typed.split(' ')
  const all = names.some(name => name.startsWith(`${topic} `))
    ? `drv ${topic} --help`
    : 'drv --help'
  const error = whole
    ? new UsageError(
        `\`drv ${whole}\` takes no argument, such as "${typed.slice(whole.length + 1)}".`,
      )
    : new UsageError(
        `There is no command \`drv ${typed}\`.`,
        meant ? `Did you mean \`drv ${meant}\`?` : `\`${all}\` shows what there is.`,
      )
  const failure = explain(error, {command: whole, flags: [], environmentToken: false})
  const text = argv.includes('--json') ? failureJson(failure) : failureText(failure)
  process.stderr.write(withoutSecrets(`${text}\n`, process.env))
  context.exit(failure.exit)
}

export default unknownCommand
