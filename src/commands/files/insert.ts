import type {CallInput} from '../../lib/client/client.js'
import {insertOnce} from '../../lib/transfer/ids.js'
import {parentFlag, withParent} from '../../lib/cli/arguments/parent.js'
import {type Parsed, type Planned, operationCommand} from '../../lib/cli/command/operation.js'
import {titleOf} from '../../lib/cli/transfer/filename.js'
import {progressFlag} from '../../lib/cli/output/progress.js'
import {
  checkOneStdin,
  contentArg,
  contentAt,
  sendContent,
  uploadFacts,
} from '../../lib/cli/transfer/upload.js'

const Operation = operationCommand(
  'files.insert',
  [
    ['Upload a file under its own name', 'files insert report.pdf'],
    [
      'Upload into a folder under another name',
      'files insert report.pdf --parent FOLDER_ID --title "Report, May"',
    ],
    [
      'Upload what another program writes',
      '$ tar c src | drv files insert - --title src.tar --mime-type application/x-tar',
    ],
    [
      'Make a folder',
      'files insert --title Invoices --mime-type application/vnd.google-apps.folder',
    ],
  ],
  {
    more: 'Without a path the file has no content. The title is the name of the uploaded file unless --title gives another. An upload that is interrupted goes on where it stopped when the same command line is run again.',
    args: contentArg,
    flags: {...parentFlag, ...progressFlag},
  },
)

export default class FilesInsert extends Operation {
  protected override async input(parsed: Parsed) {
    const {args, flags} = parsed
    checkOneStdin(flags.body, args.path)
    const input = withParent(await super.input(parsed), flags.parent)
    if (args.path === undefined || args.path === '-') return input
    return {...input, body: {title: titleOf(String(args.path)), ...input.body}}
  }

  protected override async planned(input: CallInput, {args}: Parsed): Promise<Planned> {
    if (args.path === undefined) return ['files.insert', input]
    const upload = await uploadFacts(String(args.path), input.body)
    return ['files.insert', {...input, upload}, contentAt(args.path, upload)]
  }

  protected override async perform(input: CallInput, parsed: Parsed): Promise<void> {
    const {args, flags} = parsed
    const answer =
      args.path === undefined
        ? await insertOnce(await this.context.client(), input)
        : await sendContent(this.context, 'files.insert', input, String(args.path), flags.progress)
    await this.printAnswer(answer, parsed)
  }
}
