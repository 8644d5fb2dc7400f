import type {CallInput} from '#lib/client/client.js'
import {ifExistsFlag} from '#lib/cli/input/if-exists-flag.js'
import {optionalValue} from '#lib/cli/input/argv.js'
import {checkDownload, downloadFlags, outputAt, receive} from '#lib/cli/verbs/content/download.js'
import {hasFrom} from '#lib/cli/input/items/several.js'
import type {Row} from '#lib/cli/output/format.js'
import {formats} from '#lib/cli/output/formats.js'
import {fileFacts} from '#lib/cli/verbs/content/file-metadata.js'
import type {Parsed} from '#lib/cli/input/call-input.js'
import type {PlannedRequest} from '#lib/cli/guard/curl-text.js'
import {operationCommand} from '#lib/cli/run/operation-command.js'
import {OperationCommand} from '#lib/cli/run/operation-base.js'

const Operation = operationCommand(
  'files.get',
  [
    ['Show what is known about a file', 'files get /Reports/q3.pdf'],
    ['Download a file under its own name', 'files get /Reports/q3.pdf --output'],
    ['Download to a path', 'files get /Reports/q3.pdf --output ~/q3.pdf'],
    ['Download to standard output', 'files get /Archive/src.tar --output - | tar t'],
    [
      'Download an old version',
      'files get /Reports/q3.pdf --output old.pdf --revision-id "$REVISION_ID"',
    ],
  ],
  {
    more: 'With --output alone the file lands in the current directory under its title, made safe as a file name; a file that is there already stays, unless --force is given. A file that you name is replaced. A download that is interrupted goes on where it stopped when the same command line is run again.',
    flags: {
      ...downloadFlags,
      ...ifExistsFlag('Without it a file stays that you did not name, as with fail.'),
    },
  },
)

export default class FilesGet extends Operation {
  /** `--output` may stand alone, which oclif does not know. */
  constructor(argv: string[], config: ConstructorParameters<typeof Operation>[1]) {
    super(
      optionalValue(argv, 'output', hasFrom(argv) ? 0 : 1, {
        ...OperationCommand.baseFlags,
        ...Operation.flags,
      }),
      config,
    )
  }

  protected override async input(parsed: Parsed): Promise<CallInput> {
    const {flags} = parsed
    const input = await super.input(parsed)
    checkDownload(flags, 'revision-id', 'force', 'if-exists', 'limit-rate', 'progress')
    return input
  }

  protected override async planned(input: CallInput, parsed: Parsed): Promise<PlannedRequest> {
    const [id, {params, ...rest}] = await super.planned(input, parsed)
    const isDownload = parsed.flags.output !== undefined
    const title = async () => (await this.contentFacts(input)).title
    const local = await outputAt(parsed.flags, title)
    return [id, {...rest, params: isDownload ? {...params, alt: 'media'} : params}, local]
  }

  protected override goesAlone({flags}: Parsed): boolean {
    return flags.output !== undefined
  }

  protected override async send(input: CallInput, parsed: Parsed): Promise<Row | undefined> {
    const {output} = parsed.flags
    if (output === undefined) return super.send(input, parsed)
    return receive(this.context, {
      operation: 'files.get',
      params: input.params,
      to: String(output),
      ...(await this.contentFacts(input)),
      flags: parsed.flags,
    })
  }

  protected override async perform(input: CallInput, parsed: Parsed): Promise<void> {
    if (parsed.flags.output === undefined) return super.perform(input, parsed)
    const saved = await this.send(input, parsed)
    if (saved) await this.printer.record(saved)
  }

  /** A sheet tells where the file lies, which no field of it does. */
  protected override async printAnswer(answer: Row | undefined, parsed: Parsed): Promise<void> {
    const isSheet = formats[this.printer.format].isForPeople && parsed.flags.fields === undefined
    await super.printAnswer(answer && isSheet ? await this.withPath(answer) : answer, parsed)
  }

  /** The record with its path, where one leads to it. */
  private async withPath(record: Row): Promise<Row> {
    const {createPaths} = await import('#lib/transfer/remote/paths.js')
    const [path = ''] = await createPaths(await this.context.client()).of([record])
    return /^(id:|$)/.test(path) ? record : {...record, path}
  }

  /** The title of the file, and what is known of the content that was asked for. */
  private async contentFacts({params}: CallInput) {
    return fileFacts(await this.context.client(), params)
  }
}
