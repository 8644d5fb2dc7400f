import {checkProfiles, profileColumns, profileRecord} from '#lib/cli/account/profiles.js'
import {tableFormat} from '#lib/cli/output/formats.js'
import {verb} from '#lib/cli/run/verb.js'

export default verb({
  aliases: ['whoami', 'me', 'userinfo', 'auth whoami'],
  summary: 'Show the sign-ins of all profiles and check their tokens.',
  description:
    'Sends one request per profile to its service; --profile limits the check to one profile. --verbose also shows the proxy and the certificates in use. Exits with code 4 if the profile in use is not signed in or its token is rejected.',
  examples: [
    ['Show all sign-ins', 'auth status'],
    ['Show one profile', 'auth status --profile work'],
    ['Check the token in a script', 'auth status --quiet && echo yes'],
  ],
  effect: 'reads',
  columns: (_flags, {verbose}) => profileColumns(verbose),
  async run(_input, context, printer) {
    const profiles = await checkProfiles(context)
    context.signal.throwIfAborted()
    const records = profiles.map((one, index) =>
      profileRecord(one, index === 0, context, printer.isStructured),
    )
    const columns = profileColumns(context.options.verbose)
    if (printer.format === 'table') {
      // One block per profile, because a table row would be too long.
      const layout = printer.layout(columns)
      const blocks = records.map(async record => tableFormat.record(record, layout))
      await printer.show((await Promise.all(blocks)).join('\n'))
    } else await printer.records(records, columns)
    const {problem} = profiles[0].checkup
    if (problem !== undefined) throw problem
  },
})
