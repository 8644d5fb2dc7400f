import {Args, Flags} from '@oclif/core'
import {refuseDelete} from '#lib/cli/guard/confirm-destroying.js'
import type {FlagValues} from '#lib/cli/input/call-input.js'
import {remotePathsOf} from '#lib/cli/input/names/globs.js'
import {noFollowFlag} from '#lib/cli/input/shared-flags.js'
import {baseFlagsWithFormat} from '#lib/cli/run/read-line.js'
import {verb} from '#lib/cli/run/verb.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {type KnownFlags, ranked, readArgv} from '#lib/cli/terminal/read-argv.js'
import {listenFlags} from '#lib/cli/verbs/channels/listen-flags.js'
import {exportFlag, formatsOf} from '#lib/cli/verbs/content/to-stdout.js'
import {filesOf} from '#lib/cli/verbs/everyday/path-arguments.js'
import {typeFlag} from '#lib/cli/verbs/everyday/type-criterion.js'
import {pullToStdout} from '#lib/cli/verbs/trees/archive.js'
import {pullTree} from '#lib/cli/verbs/trees/pull.js'
import {treeColumns, treeFlags} from '#lib/cli/verbs/trees/tree-run.js'

/** The value of --format that packs content; all others format results. */
const TAR = 'tar'

export default verb({
  everyDay: 16,
  aliases: ['download', 'get', 'fetch'],
  summary: 'Download files and folders, skipping unchanged files.',
  description: [
    'REMOTE is a file or folder: a path such as /Reports/2026 or drive:Finance/2026, a link, or an ID. LOCAL is a folder, created if missing, or the new name of a single file. A folder is saved in LOCAL under its own name, or only its contents if REMOTE ends with a slash.',
    'If LOCAL is -, a single file is written to standard output, and a folder is written as a tar archive. --format tar writes an archive in every case.',
    'Local files with the same size and MD5 are skipped; others with the same name are replaced. A shortcut is downloaded as its target. Editor documents are skipped unless --export names formats for them. Documents are exported again only after a change, and --delete keeps the exported files.',
    'Characters that are not allowed in file names are replaced, such as a slash with ／, and remote files that have the same name in one folder get numbers. `drv push` maps these names back to the same files.',
    'With --follow, REMOTE is a single folder. Files and folders that are renamed or moved remotely are renamed or moved locally, without being downloaded again. A local file that has changed is never overwritten: if the remote file has changed too, the remote version is saved beside the local one under a name that contains "conflict". With --delete, files and folders that are removed remotely are moved to LOCAL/.drv-trash; without it, they stay. Shortcuts are skipped. With --listen, the service notifies drv of changes at once.',
    'After a failure or Ctrl-C, run the same command again to finish the rest. Exits with code 9 if some files failed.',
  ].join('\n\n'),
  usage: 'pull REMOTE... [LOCAL] [FLAGS]',
  examples: [
    ['Download a folder into another', 'pull /Reports/2026 backup'],
    ['Download the contents of a folder', 'pull /Reports/2026/ backup/reports'],
    ['Download a file under another name', 'pull /Reports/2026/q3.csv third-quarter.csv'],
    ['Keep a local folder up to date', 'pull /Reports/2026/ backup/reports --follow'],
    ['Download a folder as a tar archive', 'pull /Reports/2026 - > reports.tar'],
  ],
  args: {
    remote: Args.string({
      description:
        'Files and folders to download (paths, links or IDs); - reads them from standard input.',
      required: true,
      multiple: true,
      ignoreStdin: true,
    }),
    local: Args.string({
      description:
        'Folder to save them in (default for a single REMOTE: the current folder), or the new name of a single file; - for standard output.',
      required: true,
      ignoreStdin: true,
    }),
  },
  flags: {
    ...treeFlags,
    ...exportFlag,
    ...noFollowFlag('Skip shortcuts instead of downloading their targets.'),
    ...listenFlags,
    follow: ranked(22, Flags.boolean({summary: 'Keep running, and download each remote change.'})),
    type: ranked(20, typeFlag('Download only files of this type')),
    delete: ranked(
      17,
      Flags.boolean({
        summary:
          'Move local files that do not exist remotely to LOCAL/.drv-trash. Requires --yes when not running in a terminal.',
      }),
    ),
  },
  bareFlag: 'listen',
  baseFlags: baseFlagsWithFormat(TAR),
  ownArgv: withCurrentFolder,
  effect: 'may destroy',
  isPlannable: true,
  columns: treeColumns,
  async run({args, flags}, context, printer) {
    if (flags.delete && flags.type !== undefined) {
      throw new UsageError(
        '--type and --delete cannot be combined: --delete compares whole folders.',
      )
    }
    refuseDelete(context, flags)
    const words = await filesOf(context, {words: args.remote, from: undefined})
    const places = remotePathsOf(context, words)
    const formats = await formatsOf(flags.export)
    const isTar = (flags as FlagValues).format === TAR
    if (flags.follow && (args.local === '-' || isTar)) {
      throw new UsageError('--follow requires a folder as LOCAL.')
    }
    if (args.local === '-') {
      if (context.options.plan !== undefined) {
        throw new UsageError(
          '--plan cannot be used when LOCAL is - (standard output): the command changes nothing.',
        )
      }
      return pullToStdout(context, printer, {places, formats, isTar}, flags)
    }
    if (isTar) {
      throw new UsageError(
        '--format tar writes to standard output, so LOCAL must be -.',
        `To save the archive, run \`drv pull ${places[0]?.text ?? 'REMOTE'} - --format tar > FILE\`.`,
      )
    }
    // With a list from standard input, LOCAL is always a folder, even if the list has one line.
    const to = [args.remote].flat().includes('-') ? `${args.local}/` : args.local
    if (flags.follow) {
      const {followPull} = await import('#lib/cli/verbs/trees/follow/follow-pull.js')
      const {listeningOf} = await import('#lib/cli/verbs/channels/listener.js')
      const startListening = listeningOf(flags, context)
      return followPull(context, printer, {places, to, formats}, flags, startListening)
    }
    if (flags.listen !== undefined) throw new UsageError('--listen requires --follow.')
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
