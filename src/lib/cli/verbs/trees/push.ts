import {dirname, resolve} from 'node:path'
import type {Context} from '#lib/cli/context/context.js'
import {unreadable} from '#lib/cli/explain/unreadable.js'
import {askBeforeRemoving} from '#lib/cli/guard/confirm-destroying.js'
import {trashedText} from '#lib/cli/guard/impact.js'
import type {Values} from '#lib/cli/input/call-input.js'
import {shareIds, treeStateFile} from '#lib/cli/input/names/id-sharing.js'
import {chooseAt, readRemotePath, withPlaces} from '#lib/cli/input/names/lookups.js'
import {limitedTransfer, treeIfExists} from '#lib/cli/input/shared-flags.js'
import type {Printer} from '#lib/cli/run/printer.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {problemLine} from '#lib/cli/terminal/units.js'
import {isCaseSensitive, type NameRules} from '#lib/transfer/local/names.js'
import {anyOf, createRules, type GivenRules, type Rules} from '#lib/transfer/local/rules.js'
import {inFolders, localSources} from '#lib/transfer/local/sources.js'
import {listEach} from '#lib/transfer/remote/listing.js'
import {noFolder} from '#lib/transfer/remote/resolve-error.js'
import {openRemotePath} from '#lib/transfer/remote/sources.js'
import type {LocalFolder} from '#lib/transfer/tree/entries.js'
import {readKnownNames} from '#lib/transfer/tree/known-names.js'
import {withoutLeftOut} from '#lib/transfer/tree/leftout.js'
import {planPushTree, type PushPiece} from '#lib/transfer/tree/push-tree.js'
import {pruneIds} from '#lib/transfer/tree/reserved-ids.js'
import {only} from '#lib/transfer/tree/steps.js'
import {previewPiece, pushSteps} from './push-steps.js'
import {checkIncludes} from './rules.js'
import {runTree} from './tree-run.js'

interface PushFlags extends GivenRules, Values {
  readonly delete: boolean
  readonly yes: boolean
  readonly progress: boolean
  readonly concurrency?: string
  readonly 'if-exists'?: string
  readonly 'limit-rate'?: string
}

/** Uploads files and folders, as `drv push` does. */
export async function pushTree(
  context: Context,
  printer: Printer,
  sources: readonly string[],
  remote: string,
  flags: PushFlags,
): Promise<void> {
  const {signal} = context
  await runTree<PushPiece>(context, printer, flags, async () => {
    const ifExists = treeIfExists(flags)
    const place = readRemotePath(remote)
    if (place.start.in === 'trash') {
      throw new UsageError(
        'A push puts nothing into the trash.',
        'Name a folder that is not in it.',
      )
    }
    if (sources.includes('-')) {
      throw new UsageError(
        'A push takes files and folders, not standard input.',
        '`drv files insert - --title NAME --parent FOLDER` uploads what another program writes; a file of that name is ./-.',
      )
    }
    const {local, rules: leftOutBy} = await readSources(sources, flags)
    const world = await limitedTransfer(context, flags['limit-rate'])
    const {client} = world
    const sharing = await shareIds(context)
    const nameFile = await treeStateFile(context, 'names')
    const rules = await nameRulesOf(sources)
    const options = {client, signal, choose: chooseAt(context), wanted: () => false}
    const {entry, missing, driveId, folder} = await withPlaces(() =>
      openRemotePath(client, place, options),
    )
    if (entry.kind !== 'folder') throw noFolder(entry, place.text)
    const drive = driveId === undefined ? {} : {driveId}
    const top = {...entry, ...drive}
    const listed = folder ?? {...top, entries: (await listEach(client, [top], signal)).get(top.id)}
    // What rules say of is below folders that are there.
    const there = missing.length > 0 ? listed : await withoutLeftOut(listed, leftOutBy)
    const plan = {
      ...{client, signal, ifExists, leftOutBy, rules, mirror: flags.delete},
      known: readKnownNames(nameFile),
      renames: ifExists === 'rename',
    }
    const tops = {path: '', local: inFolders(missing, local), remote: {...there, ...drive}}
    // Whether anything is left out is known only once everything was looked at.
    const isOpen = (flags.include ?? []).length > 0 && !leftOutBy.isAny()
    return {
      pieces: noted(planPushTree(tops, plan), leftOutBy),
      isWhole: isOpen || (flags.delete && !flags.yes),
      preview: previewPiece,
      async ask(all) {
        const trash = all.flatMap(({steps}) => only(steps, 'trash'))
        await askBeforeRemoving(context, {
          isYes: flags.yes,
          count: trash.length,
          text: () =>
            trashedText(
              client,
              trash.map(({entry}) => entry),
            ),
        })
      },
      async begin() {
        if (sharing.file !== undefined) await pruneIds(dirname(sharing.file), context.now())
      },
      stepsOf: (all, run) => pushSteps(all, run, {world, sharing, nameFile, ...drive}),
    }
  })

  /** The same pieces, with what is to be told of each. */
  async function* noted(
    pieces: AsyncIterable<PushPiece>,
    leftOutBy: Rules,
  ): AsyncGenerator<PushPiece> {
    for await (const piece of pieces) {
      for (const twin of piece.twins) if (twin.isGuess) context.note(twinText(twin))
      yield piece
    }
    checkIncludes(flags, leftOutBy)
  }
}

/** Which of several things of a name is updated. */
function twinText({path, count, id}: PushPiece['twins'][number]): string {
  const reason = `${count} items of the service have this name; using the newest or identical one (ID ${id})`
  return `Same name: ${problemLine(path, reason)}`
}

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
