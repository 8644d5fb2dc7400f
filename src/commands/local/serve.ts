import {Flags} from '@oclif/core'
import {failureLog} from '#lib/cli/context/embedded-service.js'
import {
  clockFlag,
  clockOf,
  dataDirectory,
  dataFlag,
  startService,
} from '#lib/cli/context/local-service.js'
import {faultsFlag, faultsOf} from '#lib/cli/local/faults.js'
import {verb} from '#lib/cli/run/verb.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'

export default verb({
  summary: 'Run the whole service on this machine until it is stopped.',
  description:
    'Prints a line when it is ready: for people at a terminal, else as JSON with base_url, auth_url, issuer and data: with DRV_AUTH_URL set to the issuer, clients sign in as at a standard OAuth server. SIGINT (Ctrl-C) and SIGTERM end it, with exit code 0. Accounts have no password: while it runs, every user of this machine can sign in at its address and use the data.',
  examples: [
    ['Serve the usual data directory on any free port', 'local serve'],
    ['Serve another one on a port of your choice', 'local serve --port "$PORT" --data data'],
    ['Be found by clients as a standard OAuth server', 'local serve --name-issuer'],
    ['Serve with faults, to test a script with', 'local serve --faults faults.json'],
  ],
  flags: {
    ...dataFlag,
    ...faultsFlag,
    ...clockFlag,
    port: ranked(
      21,
      Flags.string({summary: 'Port to listen on; any free one unless given.', helpValue: 'N'}),
    ),
    'name-issuer': Flags.boolean({
      summary:
        'Name the issuer to clients that know only the base URL (RFC 9728), so that they sign in there.',
    }),
    'rate-limit': Flags.string({
      summary:
        'API requests that a user has for an hour, all tokens together; a tenth without a token. No limit unless given.',
      helpValue: 'N',
    }),
  },
  effect: 'changes',
  async run({flags}, context, printer) {
    const faults = await faultsOf(flags.faults, context)
    // Being stopped is how this command ends well.
    const ended = new Promise<void>(resolve => context.onSignal(() => resolve()))
    const data = dataDirectory(flags.data, context.environment)
    const service = await startService({
      data,
      port: portOf(flags.port),
      namesIssuer: flags['name-issuer'],
      rateLimit: rateLimitOf(flags['rate-limit']),
      faults,
      clock: clockOf(flags.clock, context.now),
      notice: context.note,
      checksDatabase: true,
      log: failureLog(context),
    })
    context.onEnd(() => service.close())
    const {url} = service
    await printer.print(
      printer.format === 'table'
        ? `The service is ready at ${url} (data in ${data}). Ctrl-C ends it.\nEvery user of this machine can sign in there.\n`
        : `${JSON.stringify({base_url: url, auth_url: url, issuer: `${url}/login/oauth`, data})}\n`,
    )
    await ended
  },
})

function portOf(text: string | undefined): number {
  if (text === undefined) return 0
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text)
  throw new UsageError(`--port must be a whole number from 0 to 65535, not "${text}".`)
}

/** The specification only says that those without a token have less. */
function rateLimitOf(text: string | undefined) {
  if (text === undefined) return undefined
  const authenticated = Number(text)
  if (/^\d{1,9}$/.test(text) && authenticated > 0) {
    return {authenticated, anonymous: Math.ceil(authenticated / 10)}
  }
  throw new UsageError(`--rate-limit must be a whole number above 0, not "${text}".`)
}
