import {Args} from '@oclif/core'
import {documentFlags, lastingDocument} from '#lib/cli/document/document-source.js'
import {verb} from '#lib/cli/run/verb.js'

export default verb({
  summary: 'Write TypeScript types and calls for programs of your own.',
  description:
    'The module has a type for each record, and createClient with a function for each method. It needs nothing but fetch, as browsers and Node have it. With names it has only those methods and the records they need. The description is that of the service of the profile, for which nobody has to be signed in.',
  examples: [
    ['Write types of all methods', 'api types > drive.ts'],
    ['Write types of two methods', 'api types files.list files.get > drive.ts'],
    ['Write types of another service', 'api types --description books.json > books.ts'],
  ],
  args: {
    method: Args.string({
      description: 'A method, such as files.list; may be repeated. All unless given.',
      ignoreStdin: true,
    }),
  },
  flags: documentFlags,
  strict: false,
  effect: 'reads',
  columns: ['text'],
  async run({words, flags}, context, printer) {
    const {typesFor} = await import('#lib/cli/document/methods.js')
    const text = typesFor(await lastingDocument(context, flags), words)
    if (printer.isStructured) return printer.record({text})
    await printer.show(text)
  },
})
