import {textOf} from '#lib/api/validate.js'
import {Flags} from '@oclif/core'
import type {Row} from '#lib/cli/output/format.js'
import type {CallInput} from '#lib/client/client.js'
import {outputAt, receive, receiveFlags} from '#lib/cli/verbs/content/download.js'
import type {Parsed} from '#lib/cli/input/call-input.js'
import type {PlannedRequest} from '#lib/cli/guard/curl-text.js'
import {operationCommand} from '#lib/cli/run/operation-command.js'

const Operation = operationCommand(
  'files.export',
  [
    [
      'Write a document to a file',
      'files export /Reports/Minutes --mime-type text/html -o minutes.html',
    ],
    ['Write its text to standard output', 'files export /Reports/Minutes --mime-type text/plain'],
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
  protected override async planned(input: CallInput, parsed: Parsed): Promise<PlannedRequest> {
    const [id, request] = await super.planned(input, parsed)
    const title = () => this.fileName(String(input.params.mimeType), input)
    return [id, request, await outputAt(parsed.flags, title)]
  }

  protected override goesAlone(): boolean {
    return true
  }

  protected override async send(input: CallInput, {flags}: Parsed): Promise<Row | undefined> {
    const to = String(flags.output)
    const title = to === '-' ? '' : await this.fileName(String(input.params.mimeType), input)
    const {params} = input
    const wanted = {operation: 'files.export', params, to, title, flags} as const
    return receive(this.context, wanted)
  }

  protected override async perform(input: CallInput, parsed: Parsed): Promise<void> {
    const saved = await this.send(input, parsed)
    if (saved) await this.printer.record(saved)
  }

  /** The title with the ending of the format. */
  private async fileName(mimeType: string, {params}: CallInput): Promise<string> {
    const [client, {default: mime}] = await Promise.all([this.context.client(), import('mime')])
    const facts = await client.call('files.get', {
      params: {fileId: params.fileId!, supportsAllDrives: 'true', fields: 'title'},
    })
    const ending = mime.getExtension(mimeType)
    return [textOf(facts?.title) ?? 'download', ending].filter(Boolean).join('.')
  }
}
