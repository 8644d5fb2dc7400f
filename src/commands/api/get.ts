import {Args} from '@oclif/core'
import {documentFlags, leadingWord, wordsBeforeMethod} from '#lib/cli/document/document-source.js'
import {verb} from '#lib/cli/run/verb.js'

const MEDIA = 'alt=media'

export default verb({
  aliases: ['api about = about'],
  summary: 'Send a GET request to a path of the API.',
  description:
    'PATH, such as `about` or `files?maxResults=3`, is relative to the base URL and can include a query. The command runs the GET method that the service describes for that path, so formats, --all and --jq work as in other commands. A path that the description does not contain is requested anyway.',
  usage: 'api get PATH [FLAGS]',
  examples: [
    ['Show the signed-in account', "api get about --jq '.user.emailAddress'"],
    ['Read a list with a query', "api get 'files?maxResults=3&orderBy=title'"],
  ],
  args: {
    path: Args.string({
      description: 'Path relative to the base URL.',
      required: true,
      ignoreStdin: true,
    }),
  },
  flags: documentFlags,
  strict: false,
  effect: 'reads',
  previewsReads: true,
  // The columns are those of the method.
  columns: () => undefined,
  ownArgv: wordsBeforeMethod,
  /** Hands over to the verb of the method that the path names. */
  async delegate({args, flags, argv}, context) {
    const [{findTargetApi}, {methodReading, refuseFault}, {callVerb}] = await Promise.all([
      import('#lib/cli/document/target-api.js'),
      import('#lib/cli/document/methods.js'),
      import('#lib/cli/document/call.js'),
    ])
    const found = await findTargetApi(context, flags)
    const {document, method, params} = methodReading(found.document, args.path)
    const isOwn = document !== found.document
    const counterpart = isOwn ? {hasToken: true, ...found.counterpart, document} : found.counterpart
    refuseFault(method)
    const at = leadingWord(argv)?.at
    const rest = argv.filter((_, index) => index !== at)
    // Content goes to standard output by default.
    const isContent = params.includes(MEDIA) && method.supportsMediaDownload
    const named = params.filter(param => !(isContent && param === MEDIA))
    const calling = [
      ...named.flatMap(param => ['--param', param]),
      ...(isContent && !rest.some(word => /^(-o|--output)/.test(word)) ? ['--output', '-'] : []),
      ...rest,
    ]
    const called = callVerb(method, calling)
    // A method for an undescribed path exists only here, so `api call` does not know it.
    return {verb: isOwn ? {...called, name: 'api get'} : called, argv: calling, counterpart}
  },
  run: async () => {},
})
