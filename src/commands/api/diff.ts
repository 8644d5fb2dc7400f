import {Args} from '@oclif/core'
import {BaseCommand} from '#lib/cli/run/base-command.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'

const COLUMNS = ['change', 'breaking', 'place', 'text']

export default class ApiDiff extends BaseCommand {
  static override effect = 'reads' as const
  static override summary = 'Tell what changed from one description document to another.'
  static override description =
    "Without names the built-in description is compared with that of the profile's service, with one name the built-in one with that. Methods are matched by their id. What breaks callers of the first document comes first: methods, parameters, fields, scopes and uploads that are gone, what became required, other paths and types, and narrower values. Of descriptions and other words it is only told how many differ. The exit code is 1 where something breaks callers."
  static override examples = examplesOf([
    ["Compare the profile's service with what drv was built from", 'api diff'],
    ['Compare two files, such as in CI', 'api diff released.json next.json'],
    [
      'Show only what breaks callers',
      "api diff released.json next.json --jq '.[] | select(.breaking)'",
    ],
  ])
  static override args = {
    a: Args.string({
      description:
        'The old document, or alone the new one: a file, an address, - for standard input, or built-in.',
      ignoreStdin: true,
    }),
    b: Args.string({
      description: 'The new document, in the same way.',
      ignoreStdin: true,
    }),
  }

  protected override columnNames() {
    return COLUMNS
  }

  protected override async execute(): Promise<void> {
    const {args} = await this.parse(ApiDiff)
    const {context} = this
    const [{loadPair}, {diffDocuments}, {changesCount, changesText}] = await Promise.all([
      import('#lib/cli/document/document-pair.js'),
      import('#lib/api/document/diff/diff.js'),
      import('#lib/cli/document/findings-text.js'),
    ])
    const {before, after} = await loadPair(context, args.a, args.b)
    const {changes: all, texts} = diffDocuments(before.document, after.document)
    const breaking = all.filter(change => change.breaking)
    const changes = [...breaking, ...all.filter(change => !change.breaking)]
    if (this.printer.output.isForPeople && !context.options.columns) {
      await this.printer.show(changesText(changes, context.io.width))
    } else {
      const rows = changes.map(change => ({...change}))
      await this.printer.records(rows, COLUMNS)
    }
    const count = changesCount(changes, texts)
    if (breaking.length > 0) {
      const words = `Callers of ${before.source} break with ${after.source}: ${count}.`
      throw new CommandError('failed', words)
    }
    context.note(`From ${before.source} to ${after.source}: ${count}.`)
  }
}
