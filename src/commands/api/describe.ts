import {Args} from '@oclif/core'
import {documentFlags, requestedDocument} from '#lib/cli/document/document-source.js'
import {recordColumnNames} from '#lib/cli/output/columns-flag.js'
import {settleColumns} from '#lib/cli/run/printer.js'
import {verb} from '#lib/cli/run/verb.js'

export default verb({
  summary: 'Show the methods and schemas of a service.',
  description:
    "Without NAME, lists all methods and schemas. By default, uses the description of the profile's service; no sign-in is needed. If the service does not respond, drv uses the cached description, or else the built-in one. --json prints the document, or its named part, as served.",
  examples: [
    ['List all methods and schemas', 'api describe'],
    ['Describe a method', 'api describe files.trash'],
    ['Describe a field of a schema', 'api describe File.labels.trashed'],
    ['Save the description document for other tools', 'api describe --json > drive.json'],
    ['Describe another service', 'api describe --description books.json'],
  ],
  args: {
    name: Args.string({
      description:
        'Method (files.trash or files trash), group of methods (files), schema (File), field (File.labels.trashed), common parameter or scope.',
      ignoreStdin: true,
    }),
    verb: Args.string({
      description: 'Second word of a method.',
      hidden: true,
      ignoreStdin: true,
    }),
  },
  flags: documentFlags,
  effect: 'reads',
  // The columns are those of the named part, which is not known yet.
  columns: () => undefined,
  async run({args, flags}, context, printer) {
    const {describeEntry} = await import('#lib/cli/document/describe.js')
    const words = [args.name, args.verb].filter(word => word !== undefined)
    const {json, text} = describeEntry(await requestedDocument(context, flags), words)
    if (printer.isStructured) {
      const record = {...(json as object)}
      await settleColumns(context, printer, recordColumnNames([record]))
      return printer.record(record)
    }
    const {isTerminal, width} = context.io
    // Readers of a pipe accept lines of any length.
    await printer.show(text(isTerminal ? width : Infinity))
  },
})
