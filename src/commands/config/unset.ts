import {changeOption, optionArg, optionNamed} from '#lib/cli/account/config-options.js'
import {verb} from '#lib/cli/run/verb.js'

export default verb({
  summary: 'Reset an option to its default.',
  examples: [['Keep the history for the default number of days', 'config unset history.days']],
  args: optionArg,
  effect: 'changes',
  usesToken: false,
  columns: ['key', 'value'],
  async run({args}, context, printer) {
    await changeOption(context, printer, optionNamed(String(args.key)), undefined)
  },
})
