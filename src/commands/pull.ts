import {stat} from 'node:fs/promises'
import {join, resolve} from 'node:path'
import {Args, Flags} from '@oclif/core'
import type {Context} from '#lib/cli/context/context.js'
import {askBeforeRemoving, refuseDelete} from '#lib/cli/guard/confirm-destroying.js'
import {goingText, localGoing} from '#lib/cli/guard/targets.js'
import type {Values} from '#lib/cli/input/call-input.js'
import {treeStateFile} from '#lib/cli/input/names/id-sharing.js'
import {chooseAt, readRemotePath, withPlaces} from '#lib/cli/input/names/lookups.js'
import {limitedTransfer, treeIfExists} from '#lib/cli/input/shared-flags.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {verb} from '#lib/cli/run/verb.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {problemLine} from '#lib/cli/terminal/units.js'
import {exportFlag, formatsOf, oneFile, writeOut} from '#lib/cli/verbs/content/to-stdout.js'
import {checkIncludes} from '#lib/cli/verbs/trees/rules.js'
import {conclude, startRun, treeColumns, treeFlags} from '#lib/cli/verbs/trees/tree-run.js'
import {pulledTwinsText} from '#lib/cli/verbs/trees/twins-text.js'
import {isCaseSensitive} from '#lib/transfer/local/names.js'
import {createRules} from '#lib/transfer/local/rules.js'
import {abandonedIn, scanFolder} from '#lib/transfer/local/scan.js'
import {targetsOf, wholly} from '#lib/transfer/local/sources.js'
import {copiesBy, endingsFor, withExports} from '#lib/transfer/remote/exports.js'
import type {RemotePath} from '#lib/transfer/remote/remote-path.js'
import {remoteSources} from '#lib/transfer/remote/sources.js'
import {readKnownNames, rememberNames} from '#lib/transfer/tree/known-names.js'
import {leftOutOf, withoutLeftOut} from '#lib/transfer/tree/leftout.js'
import {pull} from '#lib/transfer/tree/pull.js'
import {planPull} from '#lib/transfer/tree/pull-plan.js'
import {compareChecksums, settlePull} from '#lib/transfer/tree/settle.js'
import {only, type PullStep} from '#lib/transfer/tree/steps.js'

export default verb({
  everyDay: 16,
  summary: 'Download files and whole folders; what is here already is skipped.',
  description: [
    'REMOTE is a file or folder: a path such as /Reports/2026 or drive:Finance/2026, a link, or an ID. LOCAL is a folder, made where there is none, or - to write one file to standard output. A folder is put into it under its own name; with a slash at its end, what is in it.',
    'Files of the same size and MD5 are skipped, others of the same name are replaced. Editor documents are left out unless --export names formats for them, and shortcuts always; a document that has not changed since is not exported again, and a copy of one stays, whatever else goes. Characters that a file name cannot hold get stand-ins, such as ／ for a slash, and files of the same title get numbers; `drv push` leads them back to the same files.',
    'Run it again after a failure or Ctrl-C: only what is left is done. Ends with code 9 when some files failed.',
  ].join('\n\n'),
  usage: 'pull REMOTE... LOCAL [FLAGS]',
  examples: [
    ['Download a folder into another', 'pull /Reports/2026 backup'],
    ['Download what is in a folder', 'pull /Reports/2026/ backup/reports'],
    ['Write a file to standard output', 'pull /Reports/2026/q3.csv -'],
    ['See what would be done', 'pull /Reports/2026/ backup/reports --delete --dry-run'],
  ],
  args: {
    remote: Args.string({
      description: 'Files and folders to download: a path, a link or an ID.',
      required: true,
      multiple: true,
      ignoreStdin: true,
    }),
    local: Args.string({
      description: 'Folder to put them into; - for standard output.',
      required: true,
      ignoreStdin: true,
    }),
  },
  flags: {
    ...treeFlags,
    ...exportFlag,
    delete: ranked(
      17,
      Flags.boolean({
        summary:
          'Move what the service does not have into the folder .drv-trash of LOCAL. Needs --yes where nobody can be asked.',
      }),
    ),
  },
  effect: 'may destroy',
  columns: treeColumns,
  async run({args, flags}, context, printer) {
    refuseDelete(context, flags)
    const ifExists = treeIfExists(flags)
    const places = [args.remote].flat().map(readRemotePath)
    const formats = await formatsOf(flags.export)
    if (args.local === '-') return pullToStdout(places, formats, flags, context, printer)
    const run = await startRun(context, flags)
    const root = resolve(args.local)
    const isThere = await checkTarget(root)
    const world = await limitedTransfer(context, flags['limit-rate'])
    const {client} = world
    const choose = chooseAt(context)
    const left = createRules({path: root, ...flags})
    const {signal} = context
    const all = await withPlaces(() => remoteSources(client, places, {signal, choose, rules: left}))
    const rules = {
      isWindows: process.platform === 'win32',
      isCaseSensitive: await isCaseSensitive(root, process.platform),
    }
    const endings = await endingsFor(all)
    const remote = await withoutLeftOut(withExports(all, formats, endings, rules), left)
    run.ledger.leaveOut(leftOutOf(remote))
    // A folder that is to go must hold nothing that stays.
    const targets = targetsOf(remote)
    const wanted = flags.delete ? wholly(targets, remote) : targets
    const local = isThere ? await scanFolder(root, '', {wanted, rules: left}) : undefined
    checkIncludes(flags, left)
    const nameFile = await treeStateFile(context, 'names')
    const plan = planPull(remote, local, {
      mirror: flags.delete,
      rules,
      known: readKnownNames(nameFile),
      isCopy: copiesBy(endings, rules),
      renames: ifExists === 'rename',
    })
    for (const {title, path} of plan.renamed) {
      context.note(`Renamed: ${problemLine(title, `stored as ${path}`)}`)
    }
    for (const twins of plan.twins) context.note(pulledTwinsText(twins))
    const compared: PullStep[] = await compareChecksums(plan.steps, context.signal)
    const steps = await settlePull(compared, {ifExists, signal: context.signal})
    const abandoned = local ? abandonedIn(local, new Set(plan.parts.values())) : []
    const stamp = new Date(run.started).toISOString().replaceAll(':', '-')
    await conclude(
      run,
      {
        steps,
        side: 'remote',
        isDryRun: context.options.dryRun,
        async ask() {
          const removals = only(steps, 'remove')
          const paths = removals.map(({path}) => path)
          await askBeforeRemoving(context, {
            isYes: flags.yes,
            count: paths.length,
            text: async () =>
              `This will move into ${join(root, '.drv-trash')}: ${goingText(await localGoing(root, paths))}`,
          })
        },
        async work() {
          await rememberNames(nameFile, plan.known, world.onLoss)
          const {parts} = plan
          await pull({...run, world, steps, parts, abandoned, root, stamp, now: context.now})
        },
      },
      context,
      printer,
    )
  },
})

async function pullToStdout(
  places: readonly RemotePath[],
  formats: readonly string[],
  flags: Values,
  context: Context,
  printer: Printer,
): Promise<void> {
  if (flags.delete) {
    throw new UsageError('--delete works only with a folder, not with standard output.')
  }
  const file = await oneFile(context, places, formats)
  if (!context.options.dryRun) return writeOut(context, file, flags)
  const rows = [{action: 'download', path: file.title, ...(!file.exported && {bytes: file.size})}]
  await printer.records(rows, ['action', 'path', 'bytes'])
}

/** Whether the target is there; throws where it is no folder. */
async function checkTarget(path: string): Promise<boolean> {
  const facts = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (!facts || facts.isDirectory()) return facts !== undefined
  throw new CommandError('failed', `${path} is a file, not a folder.`, 'Name a folder.')
}
