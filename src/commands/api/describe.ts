import {Args} from '@oclif/core'
import {chosenDocument, documentFlags} from '#lib/cli/document/document-source.js'
import {namesIn} from '#lib/cli/output/columns-flag.js'
import {settleColumns} from '#lib/cli/run/printer.js'
import {verb} from '#lib/cli/run/verb.js'

export default verb({
  summary: 'Show what the service offers: its methods and records.',
  description:
    'Without a name all methods and records; with one everything about it. The description is that of the service of the profile, for which nobody has to be signed in; without an answer the one that was kept, else the one built into drv. --json gives the document, or the part of it, as it was served.',
  examples: [
    ['List all methods and records', 'api describe'],
    ['Explain a method', 'api describe files.trash'],
    ['Explain a field of a record', 'api describe File.labels.trashed'],
    ['Keep the description document, for other tools', 'api describe --json > drive.json'],
    ['Describe another service', 'api describe --description books.json'],
  ],
  args: {
    name: Args.string({
      description:
        'A method (files.trash, or files trash), a group of them (files), a record (File), a field (File.labels.trashed), a common parameter or a scope.',
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
  // They are those of the part that is described, which is not known before.
  columns: () => undefined,
  async run({args, flags}, context, printer) {
    const {described} = await import('#lib/cli/document/describe.js')
    const words = [args.name, args.verb].filter(word => word !== undefined)
    const {json, text} = described(await chosenDocument(context, flags), words)
    if (printer.isStructured) {
      const record = {...(json as object)}
      await settleColumns(context, printer, namesIn([record]))
      return printer.record(record)
    }
    const {isTerminal, width} = context.io
    // Whatever reads a pipe can take lines of any length.
    await printer.show(text(isTerminal ? width : Infinity))
  },
})
