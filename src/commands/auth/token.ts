import {BaseCommand} from '../../lib/cli/command/base.js'
import {examplesOf} from '../../lib/cli/command/operationhelp.js'

export default class Token extends BaseCommand {
  static override summary = 'Print the token in use, for other programs.'
  static override description =
    'Whoever has the token can do what you can do: do not let it get into logs or histories.'
  static override examples = examplesOf([
    ['Call the service with another program:', 'auth token | some-program --token-from-stdin'],
  ])

  protected override readonly isHarmless = true

  protected override columnNames() {
    return ['token']
  }

  protected override async execute(): Promise<void> {
    await this.parse(Token)
    const token = await (await this.context.session()).token()
    if (this.isStructured) return this.printRecord({token})
    await this.print(`${token}\n`)
  }
}
