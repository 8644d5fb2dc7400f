import type {PlannedRequest} from '#lib/cli/guard/curl.js'
import {ifExistsFlag, ifExistsOf, parentFlag, withParent} from '#lib/cli/input/shared-flags.js'
import {operationCommand} from '#lib/cli/run/operation-command.js'
import {uploadPreview} from '#lib/cli/verbs/content/content-routes.js'
import {titleOf} from '#lib/cli/verbs/content/download.js'
import {
  contentArg,
  type Insertion,
  insertionFor,
  sendContent,
  uploadFlags,
} from '#lib/cli/verbs/content/upload.js'
import {insertOnce} from '#lib/transfer/ids.js'

export default operationCommand(
  'files.insert',
  [
    ['Upload a file under its own name', 'files insert report.pdf'],
    [
      'Upload into a folder under another name',
      'files insert report.pdf --parent /Reports --title q4.pdf',
    ],
    [
      'Upload the output of another program',
      '$ tar c src | drv files insert - --title src.tar --mime-type application/x-tar',
    ],
    [
      'Create a folder',
      'files insert --title Invoices --mime-type application/vnd.google-apps.folder',
    ],
  ],
  {
    more: 'Without PATH, the new file has no content. The title defaults to the name of the uploaded file. To resume an interrupted upload, run the same command again.',
    aliases: ['files create', 'files new', 'files add', 'files upload'],
    args: contentArg,
    several: 'path',
    flags: {...parentFlag, ...uploadFlags, ...ifExistsFlag('Default: create a second file.')},
    async request(standard, {args: {path}, flags}) {
      const input = withParent(await standard(), flags.parent)
      if (path === undefined || path === '-') return input
      return {...input, body: {title: titleOf(String(path)), ...input.body}}
    },
    route(input, {args: {path}, flags}, {context}) {
      let insertion: Insertion | undefined
      const find = async () =>
        (insertion = await insertionFor(context, input, ifExistsOf(flags), path))
      const actionTaken = () => {
        if (insertion === undefined) return undefined
        if ('kept' in insertion) return 'keep'
        if (insertion.operation === 'files.insert') return undefined
        return path === undefined ? 'update' : 'update content'
      }
      const work = async () => {
        const insertion = await find()
        if ('kept' in insertion) return insertion.kept
        const {operation, input} = insertion
        if (path !== undefined) return sendContent(context, operation, input, String(path), flags)
        const client = await context.client()
        return operation === 'files.insert'
          ? insertOnce(client, input)
          : client.call(operation, input)
      }
      const preview = async (): Promise<PlannedRequest> => {
        const insertion = await find()
        if ('kept' in insertion) return ['files.get', {params: {fileId: String(insertion.kept.id)}}]
        const {operation, input} = insertion
        if (path === undefined) return [operation, input]
        return uploadPreview(operation, input, String(path))
      }
      if (path !== undefined || ifExistsOf(flags) !== undefined) return {work, preview, actionTaken}
      return {call: {id: 'files.insert', input}, alone: work, preview, actionTaken}
    },
  },
)
