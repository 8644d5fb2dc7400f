import {Flags} from '@oclif/core'
import {nonEmptyText} from '#lib/api/validate.js'
import type {Context} from '#lib/cli/context/context.js'
import {operationCommand} from '#lib/cli/run/operation-command.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {downloadRoute} from '#lib/cli/verbs/content/content-routes.js'
import {printSaved, receiveFlags} from '#lib/cli/verbs/content/download.js'
import type {CallInput} from '#lib/client/client.js'

export default operationCommand(
  'files.export',
  [
    [
      'Export a document to a file',
      'files export /Reports/Minutes --mime-type text/html -o minutes.html',
    ],
    ['Print its text', 'files export /Reports/Minutes --mime-type text/plain'],
  ],
  {
    more: "If --output names a folder, the file in it is named after the document's title.",
    flags: {
      output: ranked(
        5,
        Flags.string({
          summary: 'Write to this file or folder (default: -, standard output).',
          char: 'o',
          default: '-',
          helpValue: 'PATH|-',
        }),
      ),
      ...receiveFlags,
    },
    route: (input, {flags}, {context}) =>
      downloadRoute(context, flags, {
        operation: 'files.export',
        params: input.params,
        isBytes: true,
        find: async to => ({title: to === '-' ? '' : await nameOf(input, context)}),
      }),
    print: printSaved,
  },
)

/** The title with the file extension of the export format. */
async function nameOf({params}: CallInput, context: Context): Promise<string> {
  const [client, {default: mime}] = await Promise.all([context.client(), import('mime')])
  const file = await client.call('files.get', {
    params: {fileId: params.fileId!, supportsAllDrives: 'true', fields: 'title'},
  })
  const extension = mime.getExtension(String(params.mimeType))
  return [nonEmptyText(file?.title) ?? 'download', extension].filter(Boolean).join('.')
}
