import {Args, Flags} from '@oclif/core'
import {refuseDelete} from '#lib/cli/guard/confirm-destroying.js'
import type {Values} from '#lib/cli/input/call-input.js'
import {remotePathsOf} from '#lib/cli/input/names/globs.js'
import {followFlag} from '#lib/cli/input/shared-flags.js'
import {baseFlagsWithFormat} from '#lib/cli/run/read-line.js'
import {verb} from '#lib/cli/run/verb.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {type KnownFlags, ranked, readArgv} from '#lib/cli/terminal/read-argv.js'
import {exportFlag, formatsOf} from '#lib/cli/verbs/content/to-stdout.js'
import {filesOf} from '#lib/cli/verbs/everyday/path-arguments.js'
import {pullToStdout} from '#lib/cli/verbs/trees/archive.js'
import {pullTree} from '#lib/cli/verbs/trees/pull.js'
import {treeColumns, treeFlags} from '#lib/cli/verbs/trees/tree-run.js'

/** The format of content; results have others. */
const TAR = 'tar'

export default verb({
  everyDay: 16,
  aliases: ['download', 'get', 'fetch'],
  summary: 'Download files and whole folders; what is here already is skipped.',
  description: [
    'REMOTE is a file or folder: a path such as /Reports/2026 or drive:Finance/2026, a link, or an ID. LOCAL is a folder, created if missing; for a single file also its new name. A folder is put into LOCAL under its own name; with a slash at its end, its contents. With - for LOCAL a file is written to standard output, and folders, or anything with --format tar, as a tar archive.',
    'Files of the same size and MD5 are skipped, others of the same name are replaced. Shortcuts are downloaded as what they lead to; one that leads back to a folder above it is left out. Editor documents are left out unless --export names formats for them; a document that has not changed since is not exported again, and a copy of one stays, whatever else goes. Characters that a file name cannot hold get stand-ins, such as ／ for a slash, and files of the same title get numbers; `drv push` leads them back to the same files.',
    'Run it again after a failure or Ctrl-C: only what is left is done. Ends with code 9 when some files failed.',
  ].join('\n\n'),
  usage: 'pull REMOTE... [LOCAL] [FLAGS]',
  examples: [
    ['Download a folder into another', 'pull /Reports/2026 backup'],
    ['Download what is in a folder', 'pull /Reports/2026/ backup/reports'],
    ['Download a file under another name', 'pull /Reports/2026/q3.csv third-quarter.csv'],
    ['Pack a folder into an archive', 'pull /Reports/2026 - > reports.tar'],
    ['See what would be done', 'pull /Reports/2026/ backup/reports --delete --dry-run'],
  ],
  args: {
    remote: Args.string({
      description:
        'Files and folders to download: a path, a link or an ID; - for the lines of standard input.',
      required: true,
      multiple: true,
      ignoreStdin: true,
    }),
    local: Args.string({
      description:
        'Folder to put them into (default: the current folder for a single REMOTE), or the new name of a single file; - for standard output.',
      required: true,
      ignoreStdin: true,
    }),
  },
  flags: {
    ...treeFlags,
    ...exportFlag,
    ...followFlag,
    delete: ranked(
      17,
      Flags.boolean({
        summary:
          'Move what the service does not have into the folder .drv-trash of LOCAL. Needs --yes where nobody can be asked.',
      }),
    ),
  },
  baseFlags: baseFlagsWithFormat(TAR),
  ownArgv: withCurrentFolder,
  effect: 'may destroy',
  columns: treeColumns,
  async run({args, flags}, context, printer) {
    refuseDelete(context, flags)
    const words = await filesOf(context, {words: args.remote, from: undefined})
    const places = remotePathsOf(context, words)
    const formats = await formatsOf(flags.export)
    const isTar = (flags as Values).format === TAR
    if (args.local === '-') {
      return pullToStdout(context, printer, {places, formats, isTar}, flags)
    }
    if (isTar) {
      throw new UsageError(
        '--format tar writes to standard output: the last argument must be -.',
        `Write it to a file: drv pull ${places[0]?.text ?? 'REMOTE'} - --format tar > FILE`,
      )
    }
    // What a list names, one thing or many, goes into a folder.
    const to = [args.remote].flat().includes('-') ? `${args.local}/` : args.local
    await pullTree(context, printer, {places, to, formats}, flags)
  },
})

/**
 * The command line with the current folder for a missing LOCAL; with --delete, which removes local files,
 * LOCAL has to be named. Pure.
 */
function withCurrentFolder(argv: readonly string[], known: KnownFlags): readonly string[] {
  const tokens = readArgv(argv, known)
  const words = tokens.filter(({kind}) => kind === 'argument' || kind === 'behind')
  const isDelete = tokens.some(({names}) => names.includes('delete'))
  return words.length === 1 && !isDelete ? [...argv, '.'] : argv
}
