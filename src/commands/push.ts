import {dirname} from 'node:path'
import {Args, Flags} from '@oclif/core'
import {askBeforeRemoving, refuseDelete} from '#lib/cli/guard/confirm-destroying.js'
import {trashedText} from '#lib/cli/guard/impact.js'
import {refuseChanges} from '#lib/cli/guard/read-only.js'
import {shareIds, treeStateFile} from '#lib/cli/input/names/id-sharing.js'
import {chooseAt, readRemotePath, withPlaces} from '#lib/cli/input/names/lookups.js'
import {limitedTransfer, treeIfExists} from '#lib/cli/input/shared-flags.js'
import {verb} from '#lib/cli/run/verb.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {
  convertedSteps,
  nameRulesOf,
  type PushSources,
  readSources,
  withName,
} from '#lib/cli/verbs/trees/push-sources.js'
import {checkIncludes} from '#lib/cli/verbs/trees/rules.js'
import {conclude, startRun, treeColumns, treeFlags} from '#lib/cli/verbs/trees/tree-run.js'
import {pushedTwinText} from '#lib/cli/verbs/trees/twins-text.js'
import type {Client} from '#lib/client/client.js'
import type {Wanted} from '#lib/transfer/local/scan.js'
import {foldersOf, inFolders, wholly} from '#lib/transfer/local/sources.js'
import {copiesBy, endingsFor} from '#lib/transfer/remote/exports.js'
import {listFolder} from '#lib/transfer/remote/listing.js'
import {ALL_DRIVES, parentIds} from '#lib/transfer/remote/records.js'
import type {RemotePath} from '#lib/transfer/remote/remote-path.js'
import {noFolder} from '#lib/transfer/remote/resolve-error.js'
import {type OpenedPath, openRemotePath} from '#lib/transfer/remote/sources.js'
import type {LocalFolder, RemoteFolder} from '#lib/transfer/tree/entries.js'
import {readKnownNames, rememberNames} from '#lib/transfer/tree/known-names.js'
import {isTaken, leftOutOf, withoutLeftOut} from '#lib/transfer/tree/leftout.js'
import {push} from '#lib/transfer/tree/push.js'
import {planContent, planPush, resolveTwins} from '#lib/transfer/tree/push-plan.js'
import {pruneIds} from '#lib/transfer/tree/reserved-ids.js'
import {compareChecksums, settlePush} from '#lib/transfer/tree/settle.js'
import {only, type PushStep} from '#lib/transfer/tree/steps.js'

export default verb({
  everyDay: 15,
  summary: 'Upload files and whole folders; what is there already is skipped.',
  description: [
    'REMOTE is a folder (a path such as /Reports/2026 or drive:Finance/2026, a link, or an ID), or for a single file its new name: /Reports/q4.pdf. A file that exists gets new content. Missing folders of a path are created. A folder is put into REMOTE under its own name; with a slash at its end, its contents.',
    'Files of the same size and MD5 are skipped, others of the same name get new content. Links are left out.',
    'Run it again after a failure or Ctrl-C: only what is left is done. Ends with code 9 when some files failed.',
  ].join('\n\n'),
  usage: 'push LOCAL... REMOTE [FLAGS]',
  examples: [
    ['Upload a folder into another', 'push photos /Archive'],
    ['Upload what is in a folder', 'push photos/ /Archive/photos'],
    ['Upload a file under another name', 'push report.pdf /Reports/q4.pdf'],
    ['Upload what another program writes', '$ date | drv push - /Reports/date.txt'],
    ['See what would be done', 'push photos/ /Archive/photos --delete --dry-run'],
    [
      'Put what is not here into the trash, too, without a question',
      'push photos/ /Archive/photos --delete --yes',
    ],
  ],
  args: {
    local: Args.string({
      description: 'Files and folders to upload; - for standard input.',
      required: true,
      multiple: true,
      ignoreStdin: true,
    }),
    remote: Args.string({
      description: 'Folder to put them into, or the new name of a single file.',
      required: true,
      ignoreStdin: true,
    }),
  },
  flags: {
    ...treeFlags,
    convert: ranked(
      21,
      Flags.boolean({
        summary: 'Convert new files into editor documents where the service can.',
      }),
    ),
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
    const read = await readSources(context, sources, flags)
    const {local, rules} = read
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
      const {entry, driveId, folder} = found
      if (entry.kind !== 'folder') {
        return contentPlan(client, read, {found, place, isRenaming: ifExists === 'rename'})
      }
      const {names: missing, local: named} = namedIn(read, found, place)
      const tree = inFolders(missing, named)
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
          converts: flags.convert,
        }),
      }
    })
    const compared: PushStep[] = await compareChecksums(plan.steps, context.signal)
    const settled = await settlePush(compared, {ifExists, signal: context.signal})
    const steps = flags.convert ? await convertedSteps(world, settled) : settled
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

interface Target {
  readonly found: OpenedPath
  readonly place: RemotePath
}

/** The folders to create, and what goes into the last of them: a single file can get another name. */
function namedIn(
  {local, single}: PushSources,
  {missing}: OpenedPath,
  place: RemotePath,
): {readonly names: readonly string[]; readonly local: LocalFolder} {
  const name = missing.at(-1)
  if (single && name !== undefined && !place.isContents) {
    return {names: missing.slice(0, -1), local: withName(local, single, name)}
  }
  if (!single?.stream) return {names: missing, local}
  const folder = place.text.replace(/\/*$/, '')
  throw new UsageError(
    `Standard input has no name, and ${place.text} names a folder.`,
    `Name the file too: \`drv push - ${folder}/NAME\`.`,
  )
}

/** The plan that gives a file new content. */
async function contentPlan(
  client: Client,
  {single}: PushSources,
  {found: {entry, driveId}, place, isRenaming}: Target & {readonly isRenaming: boolean},
) {
  if (!single || entry.kind !== 'file' || place.isContents) throw noFolder(entry, place.text)
  const look = () => siblingsOf(client, entry.id, driveId)
  return {look, plan: planContent(single, entry, isRenaming ? await look() : undefined)}
}

/** The folder of a file, with what is in it. */
async function siblingsOf(
  client: Client,
  fileId: string,
  driveId: string | undefined,
): Promise<RemoteFolder> {
  const params = {fileId, ...ALL_DRIVES, fields: 'parents(id)'}
  const [id] = parentIds((await client.call('files.get', {params})) ?? {})
  if (typeof id === 'string') {
    const folder = {kind: 'folder', id, title: ''} as const
    return listFolder(client, folder, {driveId, wanted: () => false})
  }
  throw new UsageError(
    '--if-exists rename needs a folder for the new file, and this one is in none that you may see.',
    'Name a folder.',
  )
}
