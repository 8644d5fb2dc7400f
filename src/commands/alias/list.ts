import {verb} from '#lib/cli/run/verb.js'
import {aliasFile} from '#lib/config/aliases.js'

const COLUMNS = ['alias', 'line']

export default verb({
  aliases: ['aliases'],
  summary: 'List your aliases.',
  examples: [['List all aliases', 'alias list']],
  effect: 'reads',
  usesToken: false,
  columns: COLUMNS,
  async run(_, {directories}, printer) {
    const aliases = Object.entries(aliasFile(directories.config).read() ?? {})
    await printer.records(
      aliases
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([alias, line]) => ({alias, line})),
      COLUMNS,
    )
  },
})
