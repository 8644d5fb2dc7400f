import {Args} from '@oclif/core'
import {documentFlags, leadingWord, wordsBeforeMethod} from '#lib/cli/document/document-source.js'
import {verb} from '#lib/cli/run/verb.js'

export default verb({
  summary: 'Read a path of the API.',
  description:
    'PATH is what follows the base address, such as about or files/ID, with its query. It runs the method that the service describes for GET of that path, so formats, --all and --jq work as with the other commands.',
  usage: 'api get PATH [FLAGS]',
  examples: [
    ['See who you are', "api get about --jq '.user.emailAddress'"],
    ['Read a list with a query', "api get 'files?maxResults=3&orderBy=title'"],
  ],
  args: {
    path: Args.string({
      description: 'Path below the base address.',
      required: true,
      ignoreStdin: true,
    }),
  },
  flags: documentFlags,
  strict: false,
  effect: 'reads',
  // They are those of the method.
  columns: () => undefined,
  ownArgv: wordsBeforeMethod,
  /** Once the method is found, its own verb takes over. */
  async delegate({args, flags, argv}, context) {
    const [{findCounterpart}, {methodAt, refuseFault}, {callVerb}] = await Promise.all([
      import('#lib/cli/document/target-api.js'),
      import('#lib/cli/document/methods.js'),
      import('#lib/cli/document/call.js'),
    ])
    const {document, counterpart} = await findCounterpart(context, flags)
    const {method, params} = methodAt(document, args.path)
    refuseFault(method)
    const at = leadingWord(argv)?.at
    const rest = argv.filter((_, index) => index !== at)
    const calling = [...params.flatMap(param => ['--param', param]), ...rest]
    return {verb: callVerb(method, calling), argv: calling, counterpart}
  },
  run: async () => {},
})
