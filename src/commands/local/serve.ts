import {Flags} from '@oclif/core'
import {failureLog} from '#lib/cli/context/embedded-service.js'
import {
  clockFlag,
  clockOf,
  dataDirectory,
  dataFlag,
  startService,
} from '#lib/cli/context/local-service.js'
import {approvalOf, approveFlag} from '#lib/cli/local/approval.js'
import {faultsFlag, faultsOf} from '#lib/cli/local/faults.js'
import {explainingSeed, seedFlag, seedIn} from '#lib/cli/local/seed.js'
import {verb} from '#lib/cli/run/verb.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'

export default verb({
  summary: 'Run the local service on this machine until it is stopped.',
  description:
    'Prints one line when the service is ready: text at a terminal, elsewhere JSON with base_url, auth_url, issuer and data. A client that sets DRV_AUTH_URL to the issuer signs in the same way as with a standard authorization server. Open base_url in a browser to see the files; `drv local inspect` prints a link to a page with the requests. SIGINT (Ctrl-C) and SIGTERM stop the service with exit code 0. Accounts have no password: while the service runs, every user of this machine can sign in and use the data.',
  examples: [
    ['Serve the default data directory on a free port', 'local serve'],
    ['Serve another data directory on a fixed port', 'local serve --port "$PORT" --data data'],
    ['Let clients discover a standard authorization server', 'local serve --name-issuer'],
    ['Simulate failures to test a script', 'local serve --faults faults.json'],
    [
      'Start with users and files, and approve every sign-in as one of them',
      'local serve --data bench --seed seed.yaml --approve ada',
    ],
  ],
  flags: {
    ...dataFlag,
    ...faultsFlag,
    ...clockFlag,
    ...approveFlag('wait for a person'),
    ...seedFlag,
    port: ranked(
      21,
      Flags.string({summary: 'Port to listen on (default: any free port).', helpValue: 'N'}),
    ),
    'name-issuer': Flags.boolean({
      summary:
        'Publish the issuer at the base URL (RFC 9728), so that clients find where to sign in.',
    }),
    'rate-limit': Flags.string({
      summary:
        'Maximum number of API requests per user per hour; a tenth of that without a token (default: unlimited).',
      helpValue: 'N',
    }),
  },
  effect: 'changes',
  async run({flags}, context, printer) {
    const faults = await faultsOf(flags.faults, context)
    const seed = await seedIn(flags.seed, context)
    // A stop signal is the normal end of this command, so it exits with code 0.
    const ended = new Promise<void>(resolve => context.onSignal(() => resolve()))
    const data = dataDirectory(flags.data, context.environment)
    const options = {
      data,
      port: portOf(flags.port),
      namesIssuer: flags['name-issuer'],
      rateLimit: rateLimitOf(flags['rate-limit']),
      faults,
      clock: clockOf(flags.clock, context.now),
      approval: approvalOf(flags.approve),
      isControlled: true,
      notice: context.note,
      checksDatabase: true,
      log: failureLog(context),
      seed,
    }
    const service = await explainingSeed(() => startService(options))
    context.onEnd(() => service.close())
    const {url} = service
    await printer.print(
      printer.format === 'table'
        ? `The local service is ready at ${url} (data in ${data}). Press Ctrl-C to stop it.\nEvery user of this machine can sign in to it.\n`
        : `${JSON.stringify({base_url: url, auth_url: url, issuer: `${url}/login/oauth`, data})}\n`,
    )
    await ended
  },
})

function portOf(text: string | undefined): number {
  if (text === undefined) return 0
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text)
  throw new UsageError(`Invalid --port: must be an integer from 0 to 65535, not "${text}".`)
}

/** The specification does not fix the limit for requests without a token, only that it is lower. */
function rateLimitOf(text: string | undefined) {
  if (text === undefined) return undefined
  const authenticated = Number(text)
  if (/^\d{1,9}$/.test(text) && authenticated > 0) {
    return {authenticated, anonymous: Math.ceil(authenticated / 10)}
  }
  throw new UsageError(`Invalid --rate-limit: must be a positive integer, not "${text}".`)
}
