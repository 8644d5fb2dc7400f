import {dirname, resolve} from 'node:path'
import {Flags} from '@oclif/core'
import {scopesToRequest} from '#lib/auth/scopes.js'
import {ciSetup, ciText} from '#lib/cli/account/ci-setup.js'
import {refuseStandard} from '#lib/cli/account/profiles.js'
import {verb} from '#lib/cli/run/verb.js'

/** Placeholder for the address of a service if the profile has none. */
const PLACEHOLDER = 'https://files.example.com'

export default verb({
  summary: 'Show how to set up a CI job.',
  description:
    'Prints where to create a personal access token and with which scopes, the variables to set, a workflow step and a crontab line. Sends and stores nothing.',
  examples: [
    ['Set up a job that reads files', 'auth setup-ci'],
    ['Set up a job that uploads files', 'auth setup-ci --scope drive.file'],
  ],
  flags: {
    scope: Flags.string({
      summary: 'Scopes of the job, separated by commas (default: drive.readonly).',
      helpValue: 'SCOPES',
      multiple: true,
    }),
  },
  effect: 'reads',
  columns: ['service', 'page', 'scopes', 'variables', 'command', 'step', 'cron'],
  async run({flags}, context, printer) {
    const scopes = scopesToRequest(flags.scope ?? ['drive.readonly'])
    const settings = await context.settings()
    refuseStandard(
      settings,
      'known page for personal access tokens',
      'Get a token in a step of the job and set DRV_TOKEN to it, or set DRV_TOKEN_COMMAND to a command that prints one.',
    )
    const {baseUrl = PLACEHOLDER, authUrl = PLACEHOLDER} = settings
    const program = {file: resolve(process.argv[1] ?? 'drv'), nodeFolder: dirname(process.execPath)}
    const setup = ciSetup({baseUrl, authUrl, scopes, program})
    if (settings.embedded) {
      context.note(
        `Note: a CI system cannot reach the local service. Replace ${PLACEHOLDER} with the URL of your service.`,
      )
    }
    if (printer.isStructured) await printer.record({...setup})
    else await printer.print(ciText(setup))
  },
})
