import {Flags} from '@oclif/core'
import {verb} from '#lib/cli/run/verb.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {fromFlag} from '#lib/cli/verbs/everyday/path-arguments.js'
import {diskUsageRows, USAGE_COLUMNS} from '#lib/cli/verbs/everyday/usage.js'
import {
  depthFlag,
  depthIn,
  humanSizesFlag,
  listScopes,
  placeArgs,
  printRows,
  viewPlaces,
  withSizeTexts,
} from '#lib/cli/verbs/everyday/view-places.js'

export default verb({
  everyDay: 5,
  aliases: ['size', 'sizes'],
  summary: 'Show the size of folders and their entries.',
  description:
    'PATH is a file or folder (default: My Drive). Prints one line per entry with its total size, and the folder itself last. In a pipe, sizes are in bytes. Editor documents have no size, and shortcuts are followed only if named as PATH. An item in several folders is counted once, in the first folder listed.',
  usage: 'du [PATH...] [FLAGS]',
  examples: [
    ['Sort the entries by size', 'du | sort -n'],
    ['Show two levels of a folder', 'du -h -d 2 /Reports'],
    ['Get only the total, in bytes', 'du -s /Reports | cut -f 1'],
  ],
  args: placeArgs,
  flags: {
    ...depthFlag('Show N levels (default: 1); also --max-depth.', 'd'),
    summarize: ranked(
      2,
      Flags.boolean({
        summary: 'Show only the total of each PATH.',
        char: 's',
        exclusive: ['depth'],
      }),
    ),
    ...humanSizesFlag,
    ...fromFlag,
  },
  effect: 'reads',
  previewsReads: true,
  columns: USAGE_COLUMNS,
  acceptedScopes: listScopes,
  async run(input, context, printer) {
    const {flags} = input
    const depth = flags.summarize ? 0 : depthIn(flags.depth, 0, 1)
    const fields = {columns: [], requested: ['id', 'title', 'mimeType', 'fileSize']}
    await viewPlaces(
      input,
      context,
      printer,
      {fields, depth: Infinity, follows: 'to folders'},
      async seen => {
        const all = seen.flatMap(one => (one.kind === 'error' ? [] : diskUsageRows(one, depth)))
        const rows = flags['human-readable'] ? withSizeTexts(all, 'size', printer) : all
        await printRows(rows, {columns: USAGE_COLUMNS, name: 'usage'}, context, printer)
      },
    )
  },
})
