import {Flags} from '@oclif/core'
import {textOf} from '#lib/api/validate.js'
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
      'Write a document to a file',
      'files export /Reports/Minutes --mime-type text/html -o minutes.html',
    ],
    ['Write its text to standard output', 'files export /Reports/Minutes --mime-type text/plain'],
  ],
  {
    more: 'Without --output the document goes to standard output. A directory gets a file named after the title.',
    flags: {
      output: ranked(
        5,
        Flags.string({
          summary: 'Where to write it.',
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

/** The title with the ending of the format. */
async function nameOf({params}: CallInput, context: Context): Promise<string> {
  const [client, {default: mime}] = await Promise.all([context.client(), import('mime')])
  const facts = await client.call('files.get', {
    params: {fileId: params.fileId!, supportsAllDrives: 'true', fields: 'title'},
  })
  const ending = mime.getExtension(String(params.mimeType))
  return [textOf(facts?.title) ?? 'download', ending].filter(Boolean).join('.')
}
