import type {CallInput} from '../../lib/client/client.js'
import {optionalValue} from '../../lib/cli/arguments/argv.js'
import {
  checkDownload,
  downloadFlags,
  outputAt,
  receive,
  nameText,
} from '../../lib/cli/transfer/download.js'
import {
  type Parsed,
  type Planned,
  OperationCommand,
  operationCommand,
} from '../../lib/cli/command/operation.js'

const Operation = operationCommand(
  'revisions.get',
  [
    ['Show a revision', 'revisions get FILE_ID REVISION_ID'],
    ['Download its content', 'revisions get FILE_ID REVISION_ID --output old.pdf'],
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
      optionalValue(argv, 'output', 2, {...OperationCommand.baseFlags, ...Operation.flags}),
      config,
    )
  }

  protected override async input(parsed: Parsed): Promise<CallInput> {
    checkDownload(parsed.flags, 'force', 'progress')
    return super.input(parsed)
  }

  /** Content of a revision comes from the file (reference: protocols.md, section 3). */
  private contentOf({params: {fileId = '', revisionId = ''}}: CallInput): CallInput['params'] {
    return {fileId, revisionId, supportsAllDrives: 'true'}
  }

  protected override async planned(input: CallInput, parsed: Parsed): Promise<Planned> {
    if (parsed.flags.output === undefined) return super.planned(input, parsed)
    const title = async () => {
      const client = await this.context.client()
      return nameText((await client.call('revisions.get', input))?.originalFilename)
    }
    const local = await outputAt(parsed.flags, title)
    return ['files.get', {params: {...this.contentOf(input), alt: 'media'}}, local]
  }

  protected override async perform(input: CallInput, parsed: Parsed): Promise<void> {
    const {output, force, progress} = parsed.flags
    if (output === undefined) return super.perform(input, parsed)
    const client = await this.context.client()
    const facts = (await client.call('revisions.get', input)) ?? {}
    const saved = await receive(this.context, {
      operation: 'files.get',
      params: this.contentOf(input),
      to: String(output),
      title: nameText(facts.originalFilename),
      facts,
      force,
      progress,
    })
    if (saved) await this.printRecord({...saved})
  }
}
