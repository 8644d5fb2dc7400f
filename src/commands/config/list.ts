import {verb} from '#lib/cli/run/verb.js'
import {readConfig} from '#lib/config/config.js'
import {CONFIG_OPTIONS} from '#lib/config/options.js'

const COLUMNS = ['key', 'value', 'default', 'summary']

export default verb({
  summary: 'List the options and their values.',
  examples: [['List the options', 'config list']],
  effect: 'reads',
  usesToken: false,
  columns: COLUMNS,
  async run(_input, context, printer) {
    const config = await readConfig(context.directories.config)
    const rows = CONFIG_OPTIONS.map(({name: key, summary, fallback, read}) => ({
      ...{key, value: read(config) ?? fallback, default: fallback, summary},
    }))
    await printer.records(rows, COLUMNS)
  },
})
