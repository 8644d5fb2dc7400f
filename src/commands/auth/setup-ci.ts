import {Flags} from '@oclif/core'
import {scopesToRequest} from '#lib/auth/scopes.js'
import {BaseCommand} from '#lib/cli/run/base-command.js'
import {ciSetup, ciText} from '#lib/cli/account/ci-setup.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'

/** Stands for the address of a service where the profile has none. */
const PLACEHOLDER = 'https://files.example.com'

export default class SetupCi extends BaseCommand {
  static override effect = 'reads' as const
  static override summary = 'Show what a CI step needs to work with the service.'
  static override description =
    'Prints the variables to set, where and with which scopes to make a personal access token, a step of a workflow and a line of a crontab. Nothing is sent and nothing stored.'
  static override examples = examplesOf([
    ['Set up a job that reads', 'auth setup-ci'],
    ['Set up a job that adds files of its own', 'auth setup-ci --scope drive.file'],
  ])
  static override flags = {
    scope: Flags.string({
      summary: 'What the job has to be allowed, separated by commas; drive.readonly unless given.',
      helpValue: 'SCOPES',
      multiple: true,
    }),
  }

  protected override columnNames() {
    return ['service', 'page', 'scopes', 'variables', 'command', 'step', 'cron']
  }

  protected override async execute(): Promise<void> {
    const {flags} = await this.parse(SetupCi)
    const scopes = scopesToRequest(flags.scope ?? ['drive.readonly'])
    const settings = await this.context.settings()
    const {baseUrl = PLACEHOLDER, authUrl = PLACEHOLDER} = settings
    const setup = ciSetup({baseUrl, authUrl, scopes})
    if (settings.embedded) {
      this.context.note(
        `Note: the service inside drv has no address that a CI system could reach, so ${PLACEHOLDER} stands for that of yours.`,
      )
    }
    if (this.printer.isStructured) await this.printer.record({...setup})
    else await this.printer.print(ciText(setup))
  }
}
