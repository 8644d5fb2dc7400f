import type {Context} from '#lib/cli/context/context.js'
import {ifExistsFlag} from '#lib/cli/input/shared-flags.js'
import type {Row} from '#lib/cli/output/format.js'
import {formats} from '#lib/cli/output/formats.js'
import {operationCommand} from '#lib/cli/run/operation-command.js'
import {downloadRoute} from '#lib/cli/verbs/content/content-routes.js'
import {
  checkDownload,
  downloadFlags,
  fileFacts,
  printSaved,
} from '#lib/cli/verbs/content/download.js'

export default operationCommand(
  'files.get',
  [
    ["Show a file's metadata", 'files get /Reports/q3.pdf'],
    ['Download a file under its own name', 'files get /Reports/q3.pdf --output'],
    ['Download to a path', 'files get /Reports/q3.pdf --output ~/q3.pdf'],
    ['Download to standard output', 'files get /Archive/src.tar --output - | tar t'],
    [
      'Download an old revision',
      'files get /Reports/q3.pdf --output old.pdf --revision-id "$REVISION_ID"',
    ],
  ],
  {
    more: "--output without PATH saves to the current folder under the file's title, adapted to a valid file name, and does not replace an existing file without --force. --output PATH replaces an existing file. To resume an interrupted download, run the same command again.",
    flags: {
      ...downloadFlags('the name of the file'),
      ...ifExistsFlag('Default: fail, or replace if --output names the file.'),
    },
    aliases: [],
    bareFlag: 'output',
    async request(standard, {flags}) {
      const input = await standard()
      checkDownload(flags, 'revision-id', 'force', 'if-exists', 'limit-rate', 'progress')
      return input
    },
    route: ({params}, {flags}, {context}) =>
      downloadRoute(context, flags, {
        operation: 'files.get',
        params,
        find: async () => fileFacts(await context.client(), params),
      }),
    async print(answer, parsed, surroundings, standard) {
      const {output, fields} = parsed.flags
      if (output !== undefined) return printSaved(answer, parsed, surroundings, standard)
      // Output for people also has the path, which is not a field of the file.
      const isSheet = formats[surroundings.printer.format].isForPeople && fields === undefined
      await standard(answer && isSheet ? await withPath(answer, surroundings.context) : answer)
    },
  },
)

/** The record with the file's path, if it has one. */
async function withPath(record: Row, context: Context): Promise<Row> {
  const {createPaths} = await import('#lib/transfer/remote/paths.js')
  const [path = ''] = await createPaths(await context.client()).of([record])
  return /^(id:|$)/.test(path) ? record : {...record, path}
}
