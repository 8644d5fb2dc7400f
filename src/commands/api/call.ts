import {Args} from '@oclif/core'
import {documentFlags, leadingWord, wordsBeforeMethod} from '#lib/cli/document/document-source.js'
import {METHOD_HELP, METHOD_HELP_ALL} from '#lib/cli/help/help-request.js'
import {methodHelp} from '#lib/cli/help/method-help.js'
import {verb} from '#lib/cli/run/verb.js'
import {lineWidth} from '#lib/cli/terminal/layout.js'

const HELP = [METHOD_HELP, METHOD_HELP_ALL]

export default verb({
  summary: 'Call any method of a service that publishes a description.',
  description:
    "By default, uses the description of the profile's service. To see the parameters of a method, run `drv api call METHOD --help`. Each parameter is a flag; path parameters can also be arguments. Everything else works as in the built-in commands.\n\nFor a method without a built-in command, drv asks for confirmation unless the method only reads. The token is sent only to the profile's service.",
  usage: 'api call METHOD [ARGUMENTS] [--PARAMETER VALUE] [FLAGS]',
  examples: [
    ['Show the parameters of a method', 'api call drive.files.get --help'],
    ['Call a method', 'api call drive.files.get --fileId /Reports/q3.pdf --fields id,title'],
    ['Get all pages of a list', 'api call drive.files.list --all --format ids'],
    ['Call a method of another service', 'api call shelf.books.list --description books.json'],
  ],
  args: {
    method: Args.string({
      description: 'Method, such as drive.files.list or files.list.',
      required: true,
      ignoreStdin: true,
    }),
  },
  flags: documentFlags,
  strict: false,
  effect: 'may destroy',
  // As the operation that it calls.
  isPlannable: true,
  // The columns are those of the method.
  columns: () => undefined,
  ownArgv: wordsBeforeMethod,
  /** Hands over to the verb of the method once it is found. */
  async delegate({args, flags, argv}, context) {
    const [{findTargetApi}, {methodNamed, refuseFault}, {callVerb}] = await Promise.all([
      import('#lib/cli/document/target-api.js'),
      import('#lib/cli/document/methods.js'),
      import('#lib/cli/document/call.js'),
    ])
    const {document, counterpart} = await findTargetApi(context, flags)
    const method = methodNamed(document, args.method)
    const at = leadingWord(argv)?.at
    const calling = argv.filter((word, index) => index !== at && !HELP.includes(word))
    if (!HELP.some(word => argv.includes(word))) {
      refuseFault(method)
      return {verb: callVerb(method, calling), argv: calling, counterpart}
    }
    const look = {width: lineWidth(process.stdout.columns), isWhole: argv.includes(METHOD_HELP_ALL)}
    const called = callVerb(method, [])
    const text = methodHelp(method.id, called, look)
    return {
      verb: {
        ...{summary: called.summary, examples: [], effect: 'reads'},
        columns: () => undefined,
        run: (_line, _context, printer) => printer.print(text),
      },
      argv: [],
    }
  },
  run: async () => {},
})
