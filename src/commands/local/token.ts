import {Flags} from '@oclif/core'
import {BaseCommand} from '#lib/cli/run/base-command.js'
import {dataFlag, makeToken, openData} from '#lib/cli/context/local-service.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'

export default class LocalToken extends BaseCommand {
  static override effect = 'changes' as const
  static override summary = 'Make an access token for the local service and write it.'
  static override description =
    'The token is written alone, for a script to take. Nobody can read it again: the service keeps a hash. A user that does not exist is made.'
  static override examples = examplesOf([
    ['Make a token for everything', 'local token'],
    [
      'Make one for a second user who may only read',
      'local token --user ada --scope drive.readonly',
    ],
  ])
  static override flags = {
    ...dataFlag,
    user: Flags.string({
      summary: 'Login of the user the token is for; "local" unless given.',
      helpValue: 'LOGIN',
    }),
    scope: Flags.string({
      summary: 'What the token may do; may be repeated. Everything unless given.',
      helpValue: 'SCOPE',
      multiple: true,
      multipleNonGreedy: true,
    }),
  }

  protected override columnNames() {
    return ['token']
  }

  protected override async execute(): Promise<void> {
    const {flags} = await this.parse(LocalToken)
    const store = await openData(flags.data, this.context)
    if (await this.printer.preview('create', `token${flags.user ? ` of ${flags.user}` : ''}`))
      return
    const wish = {user: flags.user, scopes: flags.scope, note: 'drv local token'}
    const token = await makeToken(store, wish, this.context.now())
    if (this.printer.isStructured) return this.printer.record({token})
    await this.printer.print(`${token}\n`)
  }
}
