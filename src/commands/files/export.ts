import {Flags} from '@oclif/core'
import type {CallInput} from '../../lib/client/client.js'
import {outputAt, receive, receiveFlags, nameText} from '../../lib/cli/transfer/download.js'
import {type Parsed, type Planned, operationCommand} from '../../lib/cli/command/operation.js'

const Operation = operationCommand(
  'files.export',
  [
    [
      'Write a document as PDF to a file',
      'files export FILE_ID --mime-type application/pdf --output report.pdf',
    ],
    ['Write its text to standard output', 'files export FILE_ID --mime-type text/plain'],
  ],
  {
    more: 'Without --output the document goes to standard output. A directory gets a file named after the title.',
    flags: {
      output: Flags.string({
        summary: 'Where to write it.',
        char: 'o',
        default: '-',
        helpValue: 'PATH|-',
      }),
      ...receiveFlags,
    },
  },
)

export default class FilesExport extends Operation {
  protected override async planned(input: CallInput, parsed: Parsed): Promise<Planned> {
    const [id, request] = await super.planned(input, parsed)
    const title = () => this.fileName(String(input.params.mimeType), input)
    return [id, request, await outputAt(parsed.flags, title)]
  }

  protected override async perform(input: CallInput, {flags}: Parsed): Promise<void> {
    const to = String(flags.output)
    const title = to === '-' ? '' : await this.fileName(String(input.params.mimeType), input)
    const {force, progress} = flags
    const {params} = input
    const wanted = {operation: 'files.export', params, to, title, force, progress} as const
    const saved = await receive(this.context, wanted)
    if (saved) await this.printRecord({...saved})
  }

  /** The title with the ending of the format. */
  private async fileName(mimeType: string, {params}: CallInput): Promise<string> {
    const [client, {default: mime}] = await Promise.all([this.context.client(), import('mime')])
    const facts = await client.call('files.get', {
      params: {fileId: params.fileId!, supportsAllDrives: 'true', fields: 'title'},
    })
    const ending = mime.getExtension(mimeType)
    return [nameText(facts?.title) || 'download', ending].filter(Boolean).join('.')
  }
}
