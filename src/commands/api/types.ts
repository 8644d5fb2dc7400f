import {Args} from '@oclif/core'
import {documentFlags, storedDocument} from '#lib/cli/document/document-source.js'
import {verb} from '#lib/cli/run/verb.js'

export default verb({
  summary: 'Generate a TypeScript client for a service.',
  description:
    "The module has a type for each schema, and createClient with a function for each method. It needs only fetch, as in browsers and Node. With METHOD, it contains only those methods and the schemas they use. By default, uses the description of the profile's service; no sign-in is needed.",
  examples: [
    ['Generate types for all methods', 'api types > drive.ts'],
    ['Generate types for two methods', 'api types files.list files.get > drive.ts'],
    ['Generate types for another service', 'api types --description books.json > books.ts'],
  ],
  args: {
    method: Args.string({
      description: 'Methods, such as files.list (default: all methods).',
      multiple: true,
      ignoreStdin: true,
    }),
  },
  flags: documentFlags,
  effect: 'reads',
  columns: ['text'],
  async run({args, flags}, context, printer) {
    const {typesFor} = await import('#lib/cli/document/methods.js')
    const names = [args.method ?? []].flat().map(String)
    const text = typesFor(await storedDocument(context, flags), names)
    if (printer.isStructured) return printer.record({text})
    await printer.show(text)
  },
})
