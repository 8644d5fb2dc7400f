import {Args} from '@oclif/core'
import {BaseCommand} from '../../lib/cli/command/base.js'
import {namesIn} from '../../lib/cli/command/columnsflag.js'
import {examplesOf} from '../../lib/cli/command/operationhelp.js'

export default class ApiDescribe extends BaseCommand {
  static override summary = 'Show what the service offers: its operations and records.'
  static override description =
    'Without a name all operations and records; with one everything about it. --json gives the description document, or the part of it.'
  static override examples = examplesOf([
    ['All operations', 'api describe'],
    ['One operation', 'api describe files.trash'],
    ['A record', 'api describe File'],
    ['The description document, for other tools', 'api describe --json'],
  ])
  static override args = {
    name: Args.string({
      description: 'An operation (files.trash, or files trash) or a record (File).',
      ignoreStdin: true,
    }),
    verb: Args.string({
      description: 'Second word of an operation.',
      hidden: true,
      ignoreStdin: true,
    }),
  }

  protected override readonly isHarmless = true

  /** They are those of the part that is described, which costs nothing. */
  protected override columnNames() {
    return undefined
  }

  protected override async execute(): Promise<void> {
    const {args} = await this.parse(ApiDescribe)
    const {describeAll, describeNamed} = await import('../../lib/cli/command/describe.js')
    const words = [args.name, args.verb].filter(word => word !== undefined)
    const described = words.length > 0 ? describeNamed(words) : describeAll()
    if (this.isStructured) {
      const json = {...described.json}
      await this.settleColumns(namesIn([json]))
      return this.printRecord(json)
    }
    const {isTerminal, width} = this.context.io
    // Whatever reads a pipe can take lines of any length.
    await this.show(described.text(isTerminal ? width : Infinity))
  }
}
