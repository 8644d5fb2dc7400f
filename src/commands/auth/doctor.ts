import {stores} from '#lib/auth/store/stores.js'
import {type Check, checkLines, firstFault} from '#lib/cli/account/doctor/check.js'
import {startForCommand} from '#lib/cli/context/local-service.js'
import {verb} from '#lib/cli/run/verb.js'
import {exitWith} from '#lib/cli/terminal/errors.js'
import {exitCodes} from '#lib/cli/terminal/exit-codes.js'

const COLUMNS = ['name', 'state', 'found', 'advice']

export default verb({
  aliases: ['doctor', 'diagnose'],
  summary: 'Look at all that can be wrong with a sign-in, and say what to do.',
  description:
    'Looks at configuration, addresses, proxy, certificates, both services, clock, client ID, keychain, token and scopes, one after the other. It signs nobody in, changes nothing, and sends a token once, to its own service. Ends with 0 where nothing is wrong, else with the code of the first fault.',
  examples: [
    ['Find out why something does not work', 'auth doctor'],
    ['Look at another profile', 'auth doctor --profile work'],
    ['Only what is wrong, for a program', `auth doctor --jq '.[] | select(.state != "ok")'`],
  ],
  effect: 'reads',
  columns: COLUMNS,
  async run(_input, context, printer) {
    const {examine} = await import('#lib/cli/account/doctor/run-checks.js')
    const {environment, options, directories, userAgent, signal, now, io} = context
    const examination = examine({
      options,
      environment,
      directories,
      line: {send: await context.send(), userAgent, signal, now},
      openStore: stores(directories),
      runCommand: async line => {
        const {runTokenCommand} = await import('#lib/auth/token-command.js')
        return runTokenCommand(line, {environment, signal})
      },
      startEmbedded: () => startForCommand(context),
    })
    const checks: Check[] = []
    const isShownAtOnce = printer.format === 'table' && options.columns === undefined
    for await (const check of examination) {
      signal.throwIfAborted()
      checks.push(check)
      if (isShownAtOnce) await printer.show(checkLines(check, io))
    }
    if (!isShownAtOnce) {
      const rows = checks.map(({name, state, found, advice}) => ({name, state, found, advice}))
      await printer.records(rows, COLUMNS)
    }
    const fault = firstFault(checks)
    if (fault) exitWith(exitCodes[fault.exit ?? 'failed'])
  },
})
