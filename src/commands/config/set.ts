import {Args} from '@oclif/core'
import {changeOption, optionArg, optionNamed} from '#lib/cli/account/config-options.js'
import {verb} from '#lib/cli/run/verb.js'

export default verb({
  summary: 'Set an option.',
  description: '`drv config list` lists the options. They apply to all profiles.',
  examples: [
    ['Read the state before every change, for `drv undo`', 'config set history.full true'],
    ['Keep the history for a year', 'config set history.days 365'],
  ],
  args: {
    ...optionArg,
    value: Args.string({description: 'The new value.', required: true, ignoreStdin: true}),
  },
  effect: 'changes',
  usesToken: false,
  columns: ['key', 'value'],
  async run({args}, context, printer) {
    await changeOption(context, printer, optionNamed(String(args.key)), String(args.value))
  },
})
