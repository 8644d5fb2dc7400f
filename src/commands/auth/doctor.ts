import {stores} from '#lib/auth/store/stores.js'
import {type Check, checkLines, firstFault} from '#lib/cli/account/doctor/check.js'
import {startForCommand} from '#lib/cli/context/local-service.js'
import {verb} from '#lib/cli/run/verb.js'
import {exitWith} from '#lib/cli/terminal/errors.js'
import {exitCodes} from '#lib/cli/terminal/exit-codes.js'

const COLUMNS = ['name', 'state', 'found', 'advice']

export default verb({
  aliases: ['doctor', 'diagnose'],
  summary: 'Diagnose sign-in and connection problems.',
  description:
    "Checks configuration, addresses, proxy, certificates, file service, clock, authorization service, client ID, keychain, token and scopes, in this order, and prints how to fix each problem. The command changes nothing, and sends the token only once, to the profile's service. Exits with code 0 if all checks pass, otherwise with the code of the first failed check.",
  examples: [
    ['Find out why a command fails', 'auth doctor'],
    ['Check another profile', 'auth doctor --profile work'],
    ['Print only the problems, as JSON', `auth doctor --jq '.[] | select(.state != "ok")'`],
  ],
  effect: 'reads',
  columns: COLUMNS,
  async run(_input, context, printer) {
    const {runChecks} = await import('#lib/cli/account/doctor/run-checks.js')
    const {environment, options, directories, userAgent, signal, now, io} = context
    const examination = runChecks({
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
