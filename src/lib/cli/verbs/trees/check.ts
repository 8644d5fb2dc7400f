import {existsSync} from 'node:fs'
import {stat} from 'node:fs/promises'
import type {Context} from '#lib/cli/context/context.js'
import {treeStateFile} from '#lib/cli/input/names/id-sharing.js'
import {chooseAt, readRemotePath, withExitCodes} from '#lib/cli/input/names/resolver.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {count} from '#lib/cli/terminal/units.js'
import type {GivenRules} from '#lib/transfer/local/rules.js'
import {listEach} from '#lib/transfer/remote/listing.js'
import {findRemotePath} from '#lib/transfer/remote/resolve.js'
import {noFolder} from '#lib/transfer/remote/resolve-error.js'
import {followShortcut} from '#lib/transfer/remote/shortcuts.js'
import type {Excluded, LocalFolder, RemoteEntry} from '#lib/transfer/tree/entries.js'
import {withoutExcluded} from '#lib/transfer/tree/exclusions.js'
import {readKnownNames} from '#lib/transfer/tree/known-names.js'
import {planPushTree} from '#lib/transfer/tree/push-tree.js'
import {compareSizes} from '#lib/transfer/tree/settle.js'
import type {PushStep} from '#lib/transfer/tree/steps.js'
import {nameRulesOf, readSources} from './push-sources.js'
import {checkIncludes, excludedText} from './rules.js'

export interface CheckFlags extends GivenRules {
  readonly oneWay: boolean
  readonly sizeOnly: boolean
}

/** A difference; `path` is relative to the compared folders, and ends with a slash for a folder. */
export interface TreeDifference {
  readonly result: 'differs' | 'only local' | 'only remote' | 'error'
  readonly path: string
  readonly reason?: string
}

/** The differences, the number of matching files, and the number of items without content to compare. */
export interface TreeComparison {
  readonly differences: readonly TreeDifference[]
  readonly same: number
  readonly skipped: number
}

/**
 * Compares a local file or folder with a remote one, by planning a push. Also accepts the remote path first.
 * Throws `CommandError` for a missing file or folder.
 */
export async function compareTrees(
  context: Context,
  [first, second]: readonly [string, string],
  flags: CheckFlags,
): Promise<TreeComparison> {
  const isSwapped = !existsSync(first) && existsSync(second)
  const [source, word] = isSwapped ? [second, first] : [first, second]
  const {signal} = context
  const isFolder = (await stat(source).catch(() => undefined))?.isDirectory() ?? false
  const {local, rules: leftOutBy} = await readSources(
    context,
    [isFolder ? `${source.replace(/[/\\]+$/, '')}/` : source],
    flags,
  )
  const client = await context.client()
  const place = readRemotePath(word)
  const {entry, driveId} = await withExitCodes(async () => {
    const found = await findRemotePath(client, place, chooseAt(context))
    return followShortcut(client, found, word)
  })
  const drive = driveId === undefined ? {} : {driveId}
  const known = readKnownNames(await treeStateFile(context, 'names'))
  const options = {
    ...{client, signal, leftOutBy, known, mirror: true, ifExists: 'replace' as const},
    ...{follows: true, mirrorsLinked: true},
    rules: await nameRulesOf([source]),
    ...(flags.sizeOnly && {compare: compareSizes}),
  }
  let top: {readonly local: LocalFolder; readonly remote: RemoteEntry}
  if (entry.kind === 'folder') {
    const listed = {...entry, ...drive}
    const entries = (await listEach(client, [listed], signal)).get(entry.id)
    const remote = await withoutExcluded({...listed, ...(entries && {entries})}, leftOutBy)
    top = {local, remote}
  } else {
    // Two single files are compared even if their names differ.
    const [single] = local.entries
    if (isFolder || !single) throw noFolderIn(entry, word)
    const title = single.name
    const remote = {kind: 'folder', id: '', title: '', entries: [{...entry, title}]} as const
    top = {local, remote}
  }
  if (top.remote.kind !== 'folder') throw noFolderIn(entry, word)
  const steps: PushStep[] = []
  const leftOut = {folders: 0, files: 0}
  const tops = {path: '', local: top.local, remote: {...top.remote, ...drive}}
  for await (const piece of planPushTree(tops, options)) {
    steps.push(...piece.steps)
    leftOut.folders += piece.leftOut.folders
    leftOut.files += piece.leftOut.files
  }
  checkIncludes(flags, leftOutBy)
  noteExcluded(context, leftOut)
  const hidden = isSwapped ? 'only local' : 'only remote'
  const {differences, ...rest} = comparisonOf(steps)
  return {
    ...rest,
    differences: flags.oneWay ? differences.filter(({result}) => result !== hidden) : differences,
  }
}

function noFolderIn(entry: RemoteEntry, word: string): unknown {
  const {message, hint} = noFolder(entry, word)
  return new CommandError('failed', message, hint)
}

function noteExcluded({note}: Context, leftOut: Excluded): void {
  const text = excludedText(leftOut)
  if (text !== '') note(`Excluded: ${text}.`)
}

/** The comparison that follows from the steps of a mirroring push; a missing folder is one difference. Pure. */
export function comparisonOf(steps: readonly PushStep[]): TreeComparison {
  const differences: TreeDifference[] = []
  const folders: string[] = []
  let [same, skipped] = [0, 0]
  for (const step of steps) {
    const {action, path} = step
    if (folders.some(folder => path.startsWith(folder))) continue
    if (action === 'same') same += 1
    else if (action === 'skip') skipped += 1
    else if (action === 'fail') differences.push({result: 'error', path, reason: step.reason})
    else if (action === 'upload') differences.push({result: 'only local', path})
    else if (action === 'folder') {
      folders.push(`${path}/`)
      differences.push({result: 'only local', path: `${path}/`})
    } else if (action === 'trash') {
      const {kind} = step.entry
      // An editor document or a shortcut has no content that could exist locally.
      if (kind === 'other') skipped += 1
      else differences.push({result: 'only remote', path: kind === 'folder' ? `${path}/` : path})
    } else differences.push({result: 'differs', path})
  }
  const sorted = differences.sort((one, other) => (one.path < other.path ? -1 : 1))
  return {differences: sorted, same, skipped}
}

const WORDS = {
  differs: (some: number) => `${some} ${some === 1 ? 'differs' : 'differ'}`,
  'only local': (some: number) => `${some} only local`,
  'only remote': (some: number) => `${some} only remote`,
  error: (some: number) => `${some} could not be compared`,
} as const

/** `3 files match; 1 differs, 2 only local.` Pure. */
export function comparisonText({differences, same, skipped}: TreeComparison): string {
  const parts = Object.entries(WORDS).flatMap(([result, words]) => {
    const some = differences.filter(one => one.result === result).length
    return some > 0 ? [words(some)] : []
  })
  const matching = same === 1 ? '1 file matches' : `${count(same, 'file')} match`
  const left = skipped > 0 ? [`skipped ${count(skipped, 'item')} without content`] : []
  return `${[matching, [...parts].join(', '), ...left].filter(Boolean).join('; ')}.`
}
