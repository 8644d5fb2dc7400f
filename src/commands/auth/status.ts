import {checkProfiles, profileColumns, profileRecord} from '#lib/cli/account/profiles.js'
import {tableFormat} from '#lib/cli/output/formats.js'
import {verb} from '#lib/cli/run/verb.js'

export default verb({
  aliases: ['whoami', 'me', 'userinfo', 'auth whoami'],
  summary: 'Show where and as whom you work, and whether your tokens work now.',
  description:
    'Asks the service of each profile who its token belongs to; with --profile, of that one alone. With --verbose also which proxy and which certificates count. Ends with code 4 when nobody is signed in to the profile in use, or its token is refused.',
  examples: [
    ['Show the sign-ins', 'auth status'],
    ['Show one of them', 'auth status --profile work'],
    ['Ask in a script whether the token works', 'auth status --quiet && echo yes'],
  ],
  effect: 'reads',
  columns: (_flags, {verbose}) => profileColumns(verbose),
  async run(_input, context, printer) {
    const profiles = await checkProfiles(context)
    context.signal.throwIfAborted()
    const records = profiles.map((one, index) => profileRecord(one, index === 0, context))
    const columns = profileColumns(context.options.verbose)
    if (printer.format === 'table') {
      // A block for each profile, because a line would be too long.
      const layout = printer.layout(columns)
      const blocks = records.map(async record => tableFormat.record(record, layout))
      await printer.show((await Promise.all(blocks)).join('\n'))
    } else await printer.records(records, columns)
    const {problem} = profiles[0].checkup
    if (problem !== undefined) throw problem
  },
})
