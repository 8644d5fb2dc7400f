import {Args} from '@oclif/core'
import {verb} from '#lib/cli/run/verb.js'
import {CommandError} from '#lib/cli/terminal/errors.js'

const COLUMNS = ['isBreach', 'place', 'rule', 'text']

export default verb({
  summary: 'Check a description document against the format.',
  description:
    'Lists errors first, then warnings about things that clients must tolerate, such as unknown fields, missing optional fields, or a size without a unit. Each finding names its location in the document and its rule. The exit code is 1 if there are errors. A URL is fetched without a token.',
  examples: [
    ['Check a file', 'api validate books.json'],
    ['Show only errors', "api validate books.json --jq '.[] | select(.isBreach)'"],
  ],
  args: {
    document: Args.string({
      description: 'File, URL, or - for standard input.',
      required: true,
      ignoreStdin: true,
    }),
  },
  effect: 'reads',
  columns: COLUMNS,
  async run({args}, context, printer) {
    const [{loadDocument}, {checkDocument}, {findingsCount, findingsText}] = await Promise.all([
      import('#lib/cli/document/load.js'),
      import('#lib/api/document/check/check.js'),
      import('#lib/cli/document/findings-text.js'),
    ])
    const {json, source} = await loadDocument(context, args.document)
    const found = checkDocument(json)
    const breaches = found.filter(({isBreach}) => isBreach)
    const findings = [...breaches, ...found.filter(({isBreach}) => !isBreach)]
    if (printer.output.isForPeople && !context.options.columns) {
      await printer.show(findingsText(findings, context.io.width))
    } else {
      const rows = findings.map(finding => ({...finding}))
      await printer.records(rows, COLUMNS)
    }
    const count = findingsCount(findings)
    if (breaches.length > 0)
      throw new CommandError('failed', `${source} is not a valid API description: ${count}.`)
    context.note(`${source} is a valid API description: ${count}.`)
  },
})
