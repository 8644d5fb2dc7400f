import {optionArg, optionNamed} from '#lib/cli/account/config-options.js'
import {verb} from '#lib/cli/run/verb.js'
import {readConfig} from '#lib/config/config.js'

export default verb({
  summary: 'Print the value of an option.',
  examples: [['Print how many days the history is kept', 'config get history.days']],
  args: optionArg,
  effect: 'reads',
  usesToken: false,
  columns: ['key', 'value'],
  async run({args}, context, printer) {
    const {name: key, fallback, read} = optionNamed(String(args.key))
    const value = read(await readConfig(context.directories.config)) ?? fallback
    if (printer.isStructured) return printer.record({key, value})
    await printer.print(`${value}\n`)
  },
})
