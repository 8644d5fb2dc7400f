import {verb} from '#lib/cli/run/verb.js'
import {listSignIns, readConfig} from '#lib/config/config.js'

export default verb({
  aliases: ['profiles', 'accounts'],
  summary: 'List the profiles, and who is signed in to each.',
  description:
    'A profile has a line for each service that somebody signed in to as it. Tells what is noted on this machine and asks no service; `drv auth status` does.',
  examples: [['List the profiles', 'auth list']],
  effect: 'reads',
  columns: ['profile', 'inUse', 'service', 'clientId', 'user.id', 'user.login', 'source'],
  async run(_input, context, printer) {
    const config = await readConfig(context.directories.config)
    // What is noted can be seen even where nobody could work.
    const current = await context.settings().catch(() => undefined)
    const records = listSignIns(config, current).map(row => ({...row}))
    await printer.records(
      records,
      ['profile', 'inUse', 'service', 'user.login', 'source'],
      'sign-in',
    )
  },
})
