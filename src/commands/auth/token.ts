import {BaseCommand} from '#lib/cli/run/base-command.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'

export default class Token extends BaseCommand {
  static override summary = 'Print the token in use, for other programs.'
  static override description =
    'Whoever has the token can do what you can do: do not let it get into logs or histories.'
  static override examples = examplesOf([
    ['Print the token', 'auth token'],
    ['Give it to another program', '$ DRV_TOKEN="$(drv auth token)" sh script.sh'],
  ])

  protected override columnNames() {
    return ['token']
  }

  protected override async execute(): Promise<void> {
    await this.parse(Token)
    const token = await (await this.context.session()).token()
    if (this.printer.isStructured) return this.printer.record({token})
    await this.printer.print(`${token}\n`)
  }
}
