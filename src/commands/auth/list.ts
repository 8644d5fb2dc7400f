import {verb} from '#lib/cli/run/verb.js'
import {readConfig} from '#lib/config/config.js'
import {listSignIns} from '#lib/config/list-profiles.js'

export default verb({
  aliases: ['profiles', 'accounts'],
  summary: 'List profiles and their users.',
  description:
    'Prints one line per profile and service, from the configuration, without requests. To check the tokens, run `drv auth status`.',
  examples: [['List profiles', 'auth list']],
  effect: 'reads',
  columns: ['profile', 'inUse', 'service', 'clientId', 'user.id', 'user.login', 'source'],
  async run(_input, context, printer) {
    const config = await readConfig(context.directories.config)
    // The list works even if the current settings are invalid.
    const current = await context.settings().catch(() => undefined)
    const records = listSignIns(config, current).map(row => ({...row}))
    await printer.records(
      records,
      ['profile', 'inUse', 'service', 'user.login', 'source'],
      'sign-in',
    )
  },
})
