import {Flags} from '@oclif/core'
import {verb} from '#lib/cli/run/verb.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {fromFlag} from '#lib/cli/verbs/everyday/path-arguments.js'
import {USAGE_COLUMNS, usageOf} from '#lib/cli/verbs/everyday/usage.js'
import {
  depthFlag,
  depthIn,
  humanSizesFlag,
  lookScopes,
  placeArgs,
  printRows,
  viewPlaces,
  withSizeTexts,
} from '#lib/cli/verbs/everyday/view-places.js'

export default verb({
  everyDay: 5,
  aliases: ['size', 'sizes'],
  summary: 'Show how much space folders take, and what is in them.',
  description:
    'PATH is a folder; without one it is the top of My Drive. Each thing in it is a line with the sum of what lies below, and the folder itself is the last. Sizes are bytes in a pipe. Documents of the editors have no size; shortcuts are not followed; what lies in several folders counts once, with the first of them.',
  usage: 'du [PATH...] [FLAGS]',
  examples: [
    ['See what takes the most space', 'du | sort -n'],
    ['See a folder and two levels of it', 'du -h -d 2 /Reports'],
    ['Get only the sum, in bytes', 'du -s /Reports | cut -f 1'],
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
  columns: USAGE_COLUMNS,
  acceptedScopes: lookScopes,
  async run(given, context, printer) {
    const {flags} = given
    const depth = flags.summarize ? 0 : depthIn(flags.depth, 0, 1)
    const fields = {columns: [], asked: ['id', 'title', 'mimeType', 'fileSize']}
    await viewPlaces(
      given,
      context,
      printer,
      {fields, depth: Infinity, follows: 'to folders'},
      async seen => {
        const all = seen.flatMap(one => (one.kind === 'error' ? [] : usageOf(one, depth)))
        const rows = flags['human-readable'] ? withSizeTexts(all, 'size', printer) : all
        await printRows(rows, {columns: USAGE_COLUMNS, name: 'usage'}, context, printer)
      },
    )
  },
})
