import {dirname, resolve} from 'node:path'
import {Args, Flags} from '@oclif/core'
import {unreadable} from '#lib/cli/explain/unreadable.js'
import {askBeforeRemoving, refuseDelete} from '#lib/cli/guard/confirm-destroying.js'
import {trashedText} from '#lib/cli/guard/impact.js'
import {refuseChanges} from '#lib/cli/guard/read-only.js'
import {shareIds, treeStateFile} from '#lib/cli/input/names/id-sharing.js'
import {chooseAt, readRemotePath, withPlaces} from '#lib/cli/input/names/lookups.js'
import {limitedTransfer, treeIfExists} from '#lib/cli/input/shared-flags.js'
import {verb} from '#lib/cli/run/verb.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {checkIncludes} from '#lib/cli/verbs/trees/rules.js'
import {conclude, startRun, treeColumns, treeFlags} from '#lib/cli/verbs/trees/tree-run.js'
import {pushedTwinText} from '#lib/cli/verbs/trees/twins-text.js'
import {isCaseSensitive, type NameRules} from '#lib/transfer/local/names.js'
import {anyOf, createRules, type GivenRules, type Rules} from '#lib/transfer/local/rules.js'
import type {Wanted} from '#lib/transfer/local/scan.js'
import {foldersOf, inFolders, localSources, wholly} from '#lib/transfer/local/sources.js'
import {copiesBy, endingsFor} from '#lib/transfer/remote/exports.js'
import {listFolder} from '#lib/transfer/remote/listing.js'
import {noFolder} from '#lib/transfer/remote/resolve-error.js'
import {openRemotePath} from '#lib/transfer/remote/sources.js'
import type {LocalFolder} from '#lib/transfer/tree/entries.js'
import {readKnownNames, rememberNames} from '#lib/transfer/tree/known-names.js'
import {isTaken, leftOutOf, withoutLeftOut} from '#lib/transfer/tree/leftout.js'
import {push} from '#lib/transfer/tree/push.js'
import {planPush, resolveTwins} from '#lib/transfer/tree/push-plan.js'
import {pruneIds} from '#lib/transfer/tree/reserved-ids.js'
import {compareChecksums, settlePush} from '#lib/transfer/tree/settle.js'
import {only, type PushStep} from '#lib/transfer/tree/steps.js'

export default verb({
  everyDay: 15,
  summary: 'Upload files and whole folders; what is there already is skipped.',
  description: [
    'REMOTE is a folder: a path such as /Reports/2026 or drive:Finance/2026, a link, or an ID. Folders of a path that are not there are made. A folder is put into REMOTE under its own name; with a slash at its end, what is in it.',
    'Files of the same size and MD5 are skipped, others of the same name get new content. Links are left out.',
    'Run it again after a failure or Ctrl-C: only what is left is done. Ends with code 9 when some files failed.',
  ].join('\n\n'),
  usage: 'push LOCAL... REMOTE [FLAGS]',
  examples: [
    ['Upload a folder into another', 'push photos /Archive'],
    ['Upload what is in a folder', 'push photos/ /Archive/photos'],
    ['See what would be done', 'push photos/ /Archive/photos --delete --dry-run'],
    [
      'Put what is not here into the trash, too, without a question',
      'push photos/ /Archive/photos --delete --yes',
    ],
  ],
  args: {
    local: Args.string({
      description: 'Files and folders to upload.',
      required: true,
      multiple: true,
      ignoreStdin: true,
    }),
    remote: Args.string({
      description: 'Folder to put them into: a path, a link or an ID.',
      required: true,
      ignoreStdin: true,
    }),
  },
  flags: {
    ...treeFlags,
    delete: ranked(
      17,
      Flags.boolean({
        summary: 'Put into the trash what the pushed folders have there, but not here.',
      }),
    ),
  },
  effect: 'changes',
  columns: treeColumns,
  async run({args, flags}, context, printer) {
    await refuseChanges(context, '`drv push`')
    refuseDelete(context, flags)
    const ifExists = treeIfExists(flags)
    const run = await startRun(context, flags)
    const place = readRemotePath(args.remote)
    if (place.start.in === 'trash') {
      throw new UsageError(
        'A push puts nothing into the trash.',
        'Name a folder that is not in it.',
      )
    }
    const sources = [args.local].flat()
    if (sources.includes('-')) {
      throw new UsageError(
        'A push takes files and folders, not standard input.',
        '`drv files insert - --title NAME --parent FOLDER` uploads what another program writes; a file of that name is ./-.',
      )
    }
    const {local, rules} = await readSources(sources, flags)
    checkIncludes(flags, rules)
    run.ledger.leaveOut(leftOutOf(local))
    const world = await limitedTransfer(context, flags['limit-rate'])
    const {client} = world
    const {file: idFile} = await shareIds(context)
    const nameFile = await treeStateFile(context, 'names')
    const known = readKnownNames(nameFile)
    const names = await nameRulesOf(sources)
    // A folder that is to go must hold nothing that stays.
    const isDeep = flags.delete && rules.isAny()
    const wantedBy = (tree: LocalFolder): Wanted => {
      const wanted = foldersOf(tree)
      if (!isDeep) return wanted
      const isInside = wholly(wanted, tree)
      return async titles => isInside(titles) && (await isTaken(rules, titles))
    }
    const {look, plan} = await withPlaces(async () => {
      const found = await openRemotePath(client, place, {
        wanted: wantedBy(local),
        choose: chooseAt(context),
      })
      const {entry, missing, driveId, folder} = found
      if (entry.kind !== 'folder') throw noFolder(entry, place.text)
      const tree = inFolders(missing, local)
      // What rules say of is below folders that are there.
      const wanted = missing.length > 0 ? foldersOf(tree) : wantedBy(tree)
      const look = () => listFolder(client, entry, {wanted, driveId})
      const there = folder ?? (await look())
      const remote = missing.length > 0 ? there : await withoutLeftOut(there, rules)
      const isCopy = copiesBy(await endingsFor(remote), names)
      return {
        look,
        plan: planPush(tree, remote, {
          mirror: flags.delete,
          rules: names,
          known,
          isCopy,
          renames: ifExists === 'rename',
        }),
      }
    })
    const compared: PushStep[] = await compareChecksums(plan.steps, context.signal)
    const steps = await settlePush(compared, {ifExists, signal: context.signal})
    const twins = resolveTwins(plan, steps)
    for (const twin of twins) if (twin.isGuess) context.note(pushedTwinText(twin))
    await conclude(
      run,
      {
        steps,
        side: 'local',
        isDryRun: context.options.dryRun,
        async ask() {
          const trash = only(steps, 'trash')
          await askBeforeRemoving(context, {
            isYes: flags.yes,
            count: trash.length,
            text: () => trashedText(client, trash),
          })
        },
        async work() {
          await rememberNames(
            nameFile,
            new Map(twins.map(({id, name}) => [id, name])),
            world.onLoss,
          )
          if (idFile !== undefined) await pruneIds(dirname(idFile), context.now())
          await push({...run, world, plan: {...plan, steps}, idFile, look, now: context.now})
        },
      },
      context,
      printer,
    )
  },
})

/** The names that this machine takes; case counts only where it does for all of the paths. */
async function nameRulesOf(paths: readonly string[]): Promise<NameRules> {
  const {platform} = process
  const all = await Promise.all(paths.map(path => isCaseSensitive(resolve(path), platform)))
  return {isWindows: platform === 'win32', isCaseSensitive: all.every(Boolean)}
}

/** What is to be sent, and the rules of all of it. */
async function readSources(
  paths: readonly string[],
  {exclude, include}: GivenRules,
): Promise<{readonly local: LocalFolder; readonly rules: Rules}> {
  const all: Rules[] = []
  const rulesFor = (path: string, at: readonly string[]) => {
    const rules = createRules({path, at, exclude, include})
    all.push(rules)
    return rules
  }
  try {
    return {local: await localSources(paths, rulesFor), rules: anyOf(all)}
  } catch (error) {
    const {code, path = ''} = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw unreadable(path, error)
  }
}
