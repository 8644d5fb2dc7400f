import type {CallInput} from '../../lib/client/client.js'
import {type Parsed, operationCommand} from '../../lib/cli/operation.js'
import {progressFlag} from '../../lib/cli/progress.js'
import {checkOneStdin, contentArg, openContent, sendContent, typeIn} from '../../lib/cli/upload.js'

const Operation = operationCommand('files.update', {
  examples: [
    ['Upload new content', 'files update FILE_ID report.pdf'],
    [
      'Upload new content in place of the old revision',
      'files update FILE_ID report.pdf --no-new-revision',
    ],
    ['Rename a file', 'files update FILE_ID --title "Report, June"'],
  ],
  more: 'Without a path only the metadata changes. The title stays unless --title gives another.',
  args: contentArg,
  flags: progressFlag,
})

export default class FilesUpdate extends Operation {
  protected override async input(parsed: Parsed) {
    const {args, flags} = parsed
    checkOneStdin(flags.body, args.path)
    const input = await super.input(parsed)
    if (args.path === undefined) return input
    const upload = await openContent(String(args.path), typeIn(input.body), this.context.io.stdin)
    return {...input, upload}
  }

  protected override async perform(input: CallInput, parsed: Parsed): Promise<void> {
    const {args, flags} = parsed
    if (args.path === undefined) return super.perform(input, parsed)
    const path = String(args.path)
    const answer = await sendContent(this.context, 'files.update', input, path, flags.progress)
    await this.printAnswer(answer, parsed)
  }
}
