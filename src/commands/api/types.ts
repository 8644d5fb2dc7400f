import {Args} from '@oclif/core'
import {BaseCommand} from '#lib/cli/run/base-command.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'
import {lastingDocument, documentFlags} from '#lib/cli/document/document-source.js'

export default class ApiTypes extends BaseCommand {
  static override effect = 'reads' as const
  static override summary = 'Write TypeScript types and calls for programs of your own.'
  static override description =
    'The module has a type for each record, and createClient with a function for each method. It needs nothing but fetch, as browsers and Node have it. With names it has only those methods and the records they need. The description is that of the service of the profile, for which nobody has to be signed in.'
  static override examples = examplesOf([
    ['Write types of all methods', 'api types > drive.ts'],
    ['Write types of two methods', 'api types files.list files.get > drive.ts'],
    ['Write types of another service', 'api types --description books.json > books.ts'],
  ])
  static override args = {
    method: Args.string({
      description: 'A method, such as files.list; may be repeated. All unless given.',
      ignoreStdin: true,
    }),
  }
  static override flags = documentFlags
  static override strict = false

  protected override columnNames() {
    return ['text']
  }

  protected override async execute(): Promise<void> {
    const {argv, flags} = await this.parse(ApiTypes)
    const {typesFor} = await import('#lib/cli/document/types.js')
    const text = typesFor(await lastingDocument(this.context, flags), argv as string[])
    if (this.printer.isStructured) return this.printer.record({text})
    await this.printer.show(text)
  }
}
