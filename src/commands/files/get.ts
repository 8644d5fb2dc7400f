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
    ['Show what is known about a file', 'files get /Reports/q3.pdf'],
    ['Download a file under its own name', 'files get /Reports/q3.pdf --output'],
    ['Download to a path', 'files get /Reports/q3.pdf --output ~/q3.pdf'],
    ['Download to standard output', 'files get /Archive/src.tar --output - | tar t'],
    [
      'Download an old version',
      'files get /Reports/q3.pdf --output old.pdf --revision-id "$REVISION_ID"',
    ],
  ],
  {
    more: 'With --output alone the file lands in the current directory under its title, made safe as a file name; a file that is there already stays, unless --force is given. A file that you name is replaced. A download that is interrupted goes on where it stopped when the same command line is run again.',
    flags: {
      ...downloadFlags,
      ...ifExistsFlag('Without it a file stays that you did not name, as with fail.'),
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
      // A sheet tells where the file lies, which no field of it does.
      const isSheet = formats[surroundings.printer.format].isForPeople && fields === undefined
      await standard(answer && isSheet ? await withPath(answer, surroundings.context) : answer)
    },
  },
)

/** The record with its path, where one leads to it. */
async function withPath(record: Row, context: Context): Promise<Row> {
  const {createPaths} = await import('#lib/transfer/remote/paths.js')
  const [path = ''] = await createPaths(await context.client()).of([record])
  return /^(id:|$)/.test(path) ? record : {...record, path}
}
