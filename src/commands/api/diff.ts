import {Args} from '@oclif/core'
import {verb} from '#lib/cli/run/verb.js'
import {CommandError} from '#lib/cli/terminal/errors.js'

const COLUMNS = ['change', 'breaking', 'place', 'text']

export default verb({
  summary: 'Tell what changed from one description document to another.',
  description:
    "Without names the built-in description is compared with that of the profile's service, with one name the built-in one with that. Methods are matched by their id. What breaks callers of the first document comes first: methods, parameters, fields, scopes and uploads that are gone, what became required, other paths and types, and narrower values. Of descriptions and other words it is only told how many differ. The exit code is 1 where something breaks callers.",
  examples: [
    ["Compare the profile's service with what drv was built from", 'api diff'],
    ['Compare two files, such as in CI', 'api diff released.json next.json'],
    [
      'Show only what breaks callers',
      "api diff released.json next.json --jq '.[] | select(.breaking)'",
    ],
  ],
  args: {
    a: Args.string({
      description:
        'The old document, or alone the new one: a file, an address, - for standard input, or built-in.',
      ignoreStdin: true,
    }),
    b: Args.string({
      description: 'The new document, in the same way.',
      ignoreStdin: true,
    }),
  },
  effect: 'reads',
  columns: COLUMNS,
  async run({args}, context, printer) {
    const [{loadPair}, {diffDocuments}, {changesCount, changesText}] = await Promise.all([
      import('#lib/cli/document/document-pair.js'),
      import('#lib/api/document/diff/diff.js'),
      import('#lib/cli/document/findings-text.js'),
    ])
    const {before, after} = await loadPair(context, args.a, args.b)
    const {changes: all, texts} = diffDocuments(before.document, after.document)
    const breaking = all.filter(change => change.breaking)
    const changes = [...breaking, ...all.filter(change => !change.breaking)]
    if (printer.output.isForPeople && !context.options.columns) {
      await printer.show(changesText(changes, context.io.width))
    } else {
      const rows = changes.map(change => ({...change}))
      await printer.records(rows, COLUMNS)
    }
    const count = changesCount(changes, texts)
    if (breaking.length > 0) {
      const words = `Callers of ${before.source} break with ${after.source}: ${count}.`
      throw new CommandError('failed', words)
    }
    context.note(`From ${before.source} to ${after.source}: ${count}.`)
  },
})
