import {Args} from '@oclif/core'
import {documentFlags, leadingWord, wordsBeforeMethod} from '#lib/cli/document/document-source.js'
import {verb} from '#lib/cli/run/verb.js'

const MEDIA = 'alt=media'

export default verb({
  summary: 'Read a path of the API.',
  description:
    'PATH is what follows the base address, such as about or files/ID, with its query. It runs the method that the service describes for GET of that path, so formats, --all and --jq work as with the other commands; a path that it does not describe is read as it is.',
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
    const [{findCounterpart}, {readingOf, refuseFault}, {callVerb}] = await Promise.all([
      import('#lib/cli/document/target-api.js'),
      import('#lib/cli/document/methods.js'),
      import('#lib/cli/document/call.js'),
    ])
    const found = await findCounterpart(context, flags)
    const {document, method, params} = readingOf(found.document, args.path)
    const isOwn = document !== found.document
    const counterpart = isOwn ? {hasToken: true, ...found.counterpart, document} : found.counterpart
    refuseFault(method)
    const at = leadingWord(argv)?.at
    const rest = argv.filter((_, index) => index !== at)
    // Content goes to standard output, unless --output says where.
    const isContent = params.includes(MEDIA) && method.supportsMediaDownload
    const named = params.filter(param => !(isContent && param === MEDIA))
    const calling = [
      ...named.flatMap(param => ['--param', param]),
      ...(isContent && !rest.some(word => /^(-o|--output)/.test(word)) ? ['--output', '-'] : []),
      ...rest,
    ]
    return {verb: callVerb(method, calling), argv: calling, counterpart}
  },
  run: async () => {},
})
