import {Args} from '@oclif/core'
import {splitCall} from '#lib/cli/document/call-argv.js'
import {documentFlags} from '#lib/cli/document/document-source.js'
import {METHOD_HELP, METHOD_HELP_ALL} from '#lib/cli/help/method-argv.js'
import {methodHelp} from '#lib/cli/help/method-help.js'
import {BaseCommand} from '#lib/cli/run/base-command.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'
import {lineWidth} from '#lib/cli/terminal/layout.js'

export default class ApiCall extends BaseCommand {
  static override effect = 'may destroy' as const
  static override summary = 'Call any method of any service that describes itself.'
  static override description =
    'The description is that of the service that the profile points at, unless another is named. METHOD --help shows the parameters of a method; they are flags, and those of the path may be words too. All else is as with the commands of the built-in operations. A method that drv knows only from a description, and that does more than read, asks for confirmation. Only the service of the profile gets its token.'
  static override usage = 'api call METHOD [WORDS] [--PARAMETER VALUE] [FLAGS]'
  static override examples = examplesOf([
    ['See what a method takes', 'api call drive.files.get --help'],
    ['Call a method', 'api call drive.files.get --fileId /Reports/q3.pdf --fields id,title'],
    ['Get all pages of a list', 'api call drive.files.list --all --format ids'],
    ['Call a method of another service', 'api call shelf.books.list --description books.json'],
  ])
  static override args = {
    method: Args.string({
      description: 'The method: drive.files.list, or files.list.',
      required: true,
      ignoreStdin: true,
    }),
  }
  static override flags = documentFlags
  static override strict = false

  #call: (() => Promise<unknown>) | undefined

  /** They are those of the method, whose command checks them. */
  protected override columns() {
    return undefined
  }

  /** Once the method is found, its own command takes over. */
  override async run(): Promise<void> {
    await super.run()
    if (!this.#call) return
    await this.context.close()
    await this.#call()
  }

  protected override async execute(): Promise<void> {
    const {baseFlags, flags: own} = ApiCall
    const isWhole = this.argv.includes(METHOD_HELP_ALL)
    const isHelp = isWhole || this.argv.includes(METHOD_HELP)
    const argv = this.argv.filter(word => word !== METHOD_HELP && word !== METHOD_HELP_ALL)
    const {finding, calling} = splitCall(argv, {...baseFlags, ...own})
    const {args, flags} = await this.parse(ApiCall, [...finding])
    const [{findCounterpart}, {methodNamed, refuseFault}, {callCommand}] = await Promise.all([
      import('#lib/cli/document/target-api.js'),
      import('#lib/cli/document/methods.js'),
      import('#lib/cli/document/call.js'),
    ])
    const {document, counterpart} = await findCounterpart(this.context, flags)
    const method = methodNamed(document, args.method)
    const command = callCommand(method, counterpart, this.context.environment)
    if (!isHelp) {
      refuseFault(method)
      this.#call = () => command.run([...calling], this.config)
      return
    }
    const width = lineWidth(process.stdout.columns)
    await this.printer.print(methodHelp(method.id, command, {width, isWhole}))
  }
}
