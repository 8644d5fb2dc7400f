import {dirname, resolve} from 'node:path'
import {Flags} from '@oclif/core'
import {scopesToRequest} from '#lib/auth/scopes.js'
import {ciSetup, ciText} from '#lib/cli/account/ci-setup.js'
import {refuseStandard} from '#lib/cli/account/profiles.js'
import {verb} from '#lib/cli/run/verb.js'

/** Placeholder for the address of a service if the profile has none. */
const PLACEHOLDER = 'https://files.example.com'

export default verb({
  summary: 'Show what a CI step needs to work with the service.',
  description:
    'Prints the variables to set, where and with which scopes to make a personal access token, a step of a workflow and a line of a crontab. Nothing is sent and nothing stored.',
  examples: [
    ['Set up a job that reads', 'auth setup-ci'],
    ['Set up a job that adds files of its own', 'auth setup-ci --scope drive.file'],
  ],
  flags: {
    scope: Flags.string({
      summary: 'What the job has to be allowed, separated by commas; drive.readonly unless given.',
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
      'page for personal access tokens that drv knows',
      'Have a step of the job get a token, and set DRV_TOKEN, or DRV_TOKEN_COMMAND to a command that prints one.',
    )
    const {baseUrl = PLACEHOLDER, authUrl = PLACEHOLDER} = settings
    const program = {file: resolve(process.argv[1] ?? 'drv'), nodeFolder: dirname(process.execPath)}
    const setup = ciSetup({baseUrl, authUrl, scopes, program})
    if (settings.embedded) {
      context.note(
        `Note: the service inside drv has no address that a CI system could reach, so ${PLACEHOLDER} stands for that of yours.`,
      )
    }
    if (printer.isStructured) await printer.record({...setup})
    else await printer.print(ciText(setup))
  },
})
