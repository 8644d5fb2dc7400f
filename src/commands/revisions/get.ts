import {textOf} from '#lib/api/validate.js'
import type {CallInput} from '#lib/client/client.js'
import {hasFrom} from '#lib/cli/input/items/several.js'
import type {Row} from '#lib/cli/output/format.js'
import {optionalValue} from '#lib/cli/input/argv.js'
import {checkDownload, downloadFlags, outputAt, receive} from '#lib/cli/verbs/content/download.js'
import type {Parsed} from '#lib/cli/input/call-input.js'
import type {PlannedRequest} from '#lib/cli/guard/curl-text.js'
import {operationCommand} from '#lib/cli/run/operation-command.js'
import {OperationCommand} from '#lib/cli/run/operation-base.js'

const Operation = operationCommand(
  'revisions.get',
  [
    ['Show the latest revision', 'revisions get /Reports/q3.pdf head'],
    [
      'Download the content of an old one',
      'revisions get /Reports/q3.pdf "$REVISION_ID" --output old.pdf',
    ],
  ],
  {
    more: 'With --output alone the content lands in the current directory under the name it was uploaded with; a file that is there already stays, unless --force is given. A file that you name is replaced.',
    flags: downloadFlags,
  },
)

export default class RevisionsGet extends Operation {
  /** `--output` may stand alone, which oclif does not know. */
  constructor(argv: string[], config: ConstructorParameters<typeof Operation>[1]) {
    super(
      optionalValue(argv, 'output', hasFrom(argv) ? 0 : 2, {
        ...OperationCommand.baseFlags,
        ...Operation.flags,
      }),
      config,
    )
  }

  protected override async input(parsed: Parsed): Promise<CallInput> {
    checkDownload(parsed.flags, 'force', 'limit-rate', 'progress')
    return super.input(parsed)
  }

  /** Content of a revision comes from the file (reference: protocols.md, section 3). */
  private contentOf({params: {fileId = '', revisionId = ''}}: CallInput): CallInput['params'] {
    return {fileId, revisionId, supportsAllDrives: 'true'}
  }

  protected override async planned(input: CallInput, parsed: Parsed): Promise<PlannedRequest> {
    if (parsed.flags.output === undefined) return super.planned(input, parsed)
    const title = async () => {
      const client = await this.context.client()
      return textOf((await client.call('revisions.get', input))?.originalFilename) ?? ''
    }
    const local = await outputAt(parsed.flags, title)
    return ['files.get', {params: {...this.contentOf(input), alt: 'media'}}, local]
  }

  protected override goesAlone({flags}: Parsed): boolean {
    return flags.output !== undefined
  }

  protected override async send(input: CallInput, parsed: Parsed): Promise<Row | undefined> {
    const {output} = parsed.flags
    if (output === undefined) return super.send(input, parsed)
    const client = await this.context.client()
    const facts = (await client.call('revisions.get', input)) ?? {}
    return receive(this.context, {
      operation: 'files.get',
      params: this.contentOf(input),
      to: String(output),
      title: textOf(facts.originalFilename) ?? '',
      facts,
      flags: parsed.flags,
    })
  }

  protected override async perform(input: CallInput, parsed: Parsed): Promise<void> {
    if (parsed.flags.output === undefined) return super.perform(input, parsed)
    const saved = await this.send(input, parsed)
    if (saved) await this.printer.record(saved)
  }
}
