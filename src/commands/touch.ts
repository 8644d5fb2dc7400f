import {Flags} from '@oclif/core'
import {planTouch} from '#lib/cli/verbs/content/touch.js'
import {filesArg, filesOf, fromFlag} from '#lib/cli/verbs/everyday/path-arguments.js'
import {stepsCommand} from '#lib/cli/verbs/everyday/steps-command.js'

export default stepsCommand('files.touch', {
  summary: 'Set the modified date of files to now, creating missing files.',
  description:
    'FILE is a path, a link or an ID. A path that does not exist becomes an empty file if its folder exists; with --no-create, it is skipped.',
  usage: 'touch FILE... [FLAGS]',
  examples: [
    ['Set the modified date to now', 'touch /Reports/q3.pdf'],
    ['Create an empty file', 'touch /Reports/todo.txt'],
  ],
  args: filesArg,
  flags: {
    'no-create': Flags.boolean({
      summary: 'Skip missing files instead of creating them.',
      char: 'c',
    }),
    ...fromFlag,
  },

  async plan(context, {args, flags}) {
    const words = await filesOf(context, {words: args.file_id, from: flags.from})
    return planTouch(context, words, !flags['no-create'])
  },
})
