import {parentFlag, withParent} from '../../lib/cli/parent.js'
import {type Parsed, operationCommand} from '../../lib/cli/operation.js'
import {titleOf} from '../../lib/cli/filename.js'
import {checkOneStdin, contentArg, openContent, typeIn} from '../../lib/cli/upload.js'

const Operation = operationCommand('files.insert', {
  examples: [
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
  more: 'Without a path the file has no content. The title is the name of the uploaded file unless --title gives another.',
  args: contentArg,
  flags: parentFlag,
})

export default class FilesInsert extends Operation {
  protected override async input(parsed: Parsed) {
    const {args, flags} = parsed
    checkOneStdin(flags.body, args.path)
    const input = withParent(await super.input(parsed), flags.parent)
    if (args.path === undefined) return input
    const path = String(args.path)
    const upload = await openContent(path, typeIn(input.body), this.context.io.stdin)
    const title = path === '-' ? {} : {title: titleOf(path)}
    return {...input, body: {...title, ...input.body}, upload}
  }
}
