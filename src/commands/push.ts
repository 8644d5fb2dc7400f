import {Args, Flags} from '@oclif/core'
import {dirname} from 'node:path'
import {askBeforeRemoving, refuseDelete} from '../lib/cli/guard/ask.js'
import {trashedText} from '../lib/cli/guard/losses.js'
import {refuseChanges} from '../lib/cli/guard/readonly.js'
import {chooseAt} from '../lib/cli/naming/choose.js'
import {readRemotePath} from '../lib/cli/naming/lookups.js'
import {withPlaces} from '../lib/cli/naming/places.js'
import {examplesOf} from '../lib/cli/command/operation.js'
import {UsageError} from '../lib/cli/command/errors.js'
import {idFileOf, startRun, TreeCommand, treeFlags} from '../lib/cli/transfer/tree.js'
import {unreadable} from '../lib/cli/explain/unreadable.js'
import type {LocalFolder} from '../lib/transfer/tree/entries.js'
import {listFolder} from '../lib/transfer/remote/listing.js'
import {enterRun, pruneIds} from '../lib/transfer/tree/reservedids.js'
import {push} from '../lib/transfer/tree/push.js'
import {planPush} from '../lib/transfer/tree/pushplan.js'
import {openRemotePath} from '../lib/transfer/remote/openremotepath.js'
import {noFolder} from '../lib/transfer/remote/resolveerror.js'
import {foldersOf, inFolders, localSources} from '../lib/transfer/local/sources.js'
import {only, type PushStep} from '../lib/transfer/tree/steps.js'
import {compareChecksums} from '../lib/transfer/tree/checksums.js'

export default class Push extends TreeCommand {
  static override summary = 'Upload files and whole folders; what is there already is skipped.'
  static override description = [
    'REMOTE is a folder: a path such as /Reports/2026 or drive:Finance/2026, a link, or an ID. Folders of a path that are not there are made. A folder is put into REMOTE under its own name; with a slash at its end, what is in it.',
    'Files of the same size and MD5 are skipped, others of the same name get new content. Links are left out.',
    'Run it again after a failure or Ctrl-C: only what is left is done. Ends with code 9 when some files failed.',
  ].join('\n\n')
  static override usage = 'push LOCAL... REMOTE [FLAGS]'
  static override examples = examplesOf([
    ['Upload a folder into another', 'push photos /Backup'],
    ['Upload what is in a folder', 'push photos/ /Backup/Photos'],
    ['See what would be done', 'push photos/ /Backup/Photos --delete --dry-run'],
    [
      'Make the remote folder the same, with the trash for what is not here',
      'push photos/ /Backup/Photos --delete --yes',
    ],
  ])
  static override args = {
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
  }
  static override flags = {
    ...treeFlags,
    delete: Flags.boolean({
      summary: 'Put into the trash what the pushed folders have there, but not here.',
    }),
  }

  protected override async execute(): Promise<void> {
    const {args, flags} = await this.parse(Push)
    const {context} = this
    await refuseChanges(context, '`drv push`')
    refuseDelete(context, flags)
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
    const local = await readSources(sources)
    const world = await context.transfer()
    const {client} = world
    const idFile = await idFileOf(context)
    if (idFile !== undefined && !flags['dry-run']) context.onEnd(await enterRun(idFile))
    const {look, plan} = await withPlaces(async () => {
      const found = await openRemotePath(client, place, {
        wanted: foldersOf(local),
        choose: chooseAt(context),
      })
      const {entry, missing, driveId, folder} = found
      if (entry.kind !== 'folder') throw noFolder(entry, place.text)
      const tree = inFolders(missing, local)
      const wanted = foldersOf(tree)
      const look = () => listFolder(client, entry, {wanted, driveId})
      return {look, plan: planPush(tree, folder ?? (await look()), {mirror: flags.delete})}
    })
    const steps: PushStep[] = await compareChecksums(plan.steps, context.signal)
    await this.conclude(run, {
      steps,
      side: 'local',
      isDryRun: flags['dry-run'],
      async ask() {
        const trash = only(steps, 'trash')
        await askBeforeRemoving(context, {
          isYes: flags.yes,
          count: trash.length,
          text: () => trashedText(client, trash),
        })
      },
      async work() {
        if (idFile !== undefined) await pruneIds(dirname(idFile), context.now())
        await push({...run, world, plan: {...plan, steps}, idFile, look, now: context.now})
      },
    })
  }
}

async function readSources(paths: readonly string[]): Promise<LocalFolder> {
  try {
    return await localSources(paths)
  } catch (error) {
    const {code, path = ''} = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw unreadable(path, error)
  }
}
