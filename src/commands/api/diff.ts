import {Args} from '@oclif/core'
import {verb} from '#lib/cli/run/verb.js'
import {CommandError} from '#lib/cli/terminal/errors.js'

const COLUMNS = ['change', 'breaking', 'place', 'text']

export default verb({
  summary: 'Compare two description documents.',
  description:
    "Without arguments, compares the built-in description with that of the profile's service; with one argument, the built-in description with that document. Methods are matched by ID.\n\nBreaking changes come first: removed methods, parameters, fields, scopes and uploads; new requirements; changed paths and types; narrower values. Text changes are only counted. The exit code is 1 if there are breaking changes.",
  examples: [
    ["Compare the profile's service with the built-in description", 'api diff'],
    ['Compare two files, for example in CI', 'api diff released.json next.json'],
    [
      'Show only breaking changes',
      "api diff released.json next.json --jq '.[] | select(.breaking)'",
    ],
  ],
  args: {
    a: Args.string({
      description:
        'Old document (with a single argument: the new one): a file, a URL, - for standard input, or `built-in` for the description built into drv.',
      ignoreStdin: true,
    }),
    b: Args.string({
      description: 'New document, in the same form.',
      ignoreStdin: true,
    }),
  },
  effect: 'reads',
  columns: COLUMNS,
  async run({args}, context, printer) {
    const [{loadPair}, {diffDocuments}, {changesCount, documentChangesText}] = await Promise.all([
      import('#lib/cli/document/document-pair.js'),
      import('#lib/api/document/diff/diff.js'),
      import('#lib/cli/document/findings-text.js'),
    ])
    const {before, after} = await loadPair(context, args.a, args.b)
    const {changes: all, texts} = diffDocuments(before.document, after.document)
    const breaking = all.filter(change => change.breaking)
    const changes = [...breaking, ...all.filter(change => !change.breaking)]
    if (printer.output.isForPeople && !context.options.columns) {
      await printer.show(documentChangesText(changes, context.io.width))
    } else {
      const rows = changes.map(change => ({...change}))
      await printer.records(rows, COLUMNS)
    }
    const count = changesCount(changes, texts)
    if (breaking.length > 0) {
      const words = `${after.source} breaks clients of ${before.source}: ${count}.`
      throw new CommandError('failed', words)
    }
    context.note(`Compared ${before.source} with ${after.source}: ${count}.`)
  },
})
