import type {Context} from '#lib/cli/context/context.js'
import type {Parsed} from '#lib/cli/input/call-input.js'
import {ifExistsOf} from '#lib/cli/input/shared-flags.js'
import {isSubstitution, parseSubstitution, substitute} from '#lib/cli/input/substitution.js'
import type {Step} from '#lib/cli/run/plan.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import type {Client} from '#lib/client/client.js'
import {groupBy} from '#lib/platform/values.js'
import {ALL_DRIVES} from '#lib/transfer/remote/records.js'
import {isBareWord} from '#lib/transfer/remote/remote-path.js'
import type {IfExists} from '#lib/transfer/resolve-conflict.js'
import {moveSteps, planMove} from './copy-move.js'
import {type FolderNames, ifExistsAt} from './folder-names.js'
import {filesOf} from './path-arguments.js'
import {type MissingSource, type SourceItem, sourcesOf} from './sources.js'
import {takenNames} from './target.js'

/** A source with its new title. */
interface Renaming {
  readonly source: SourceItem
  readonly title: string
}

/**
 * The steps that rename files with the substitution `s/OLD/NEW/`, or one file for `OLD NEW`; files whose name does not match get no step.
 * Throws `UsageError` for an invalid expression, and for a new name that is empty or contains a slash.
 */
export async function planRename(context: Context, {args, flags}: Parsed): Promise<Step[]> {
  const expression = String(args.expression)
  const words = await filesOf(context, {words: args.file_id, from: flags.from})
  const [title, second] = words
  if (title !== undefined && second === undefined && isFileName(expression)) {
    return renameTo(context, {source: expression, title}, flags)
  }
  const substitution = parseSubstitution(expression)
  if (words.length === 0) throw new UsageError('Missing FILE: the files to rename.')
  const found = await sourcesOf(context, words)
  const sources = found.filter((one): one is SourceItem => !('error' in one))
  const titles = substitute(
    substitution,
    sources.map(({entry}) => entry.title),
  )
  const renamings = sources.flatMap((source, index): Renaming[] => {
    const title = titles[index]!
    if (title === source.entry.title) return []
    checkTitle(source, title)
    return [{source, title}]
  })
  const broken = found.filter((one): one is MissingSource => 'error' in one)
  if (renamings.length === 0 && broken.length === 0) {
    context.note(`Nothing to rename: ${String(args.expression)} changes no names.`)
  }
  return [...broken, ...(await renamingSteps(context, renamings, flags))]
}

/** Whether the first argument names a file, by path, link or ID, and is no substitution. */
function isFileName(word: string): boolean {
  return !isSubstitution(word) && !isBareWord(word)
}

/** The steps of `rename OLD NEW`: a new title in the same folder, or a path, as for `drv mv`. */
async function renameTo(
  context: Context,
  {source, title}: {readonly source: string; readonly title: string},
  flags: Parsed['flags'],
): Promise<Step[]> {
  if (!isBareWord(title)) {
    return planMove(context, {args: {source: [source], dest: title}, flags})
  }
  const [found] = await sourcesOf(context, [source])
  if ('error' in found!) return [found]
  checkTitle(found!, title)
  return renamingSteps(context, [{source: found!, title}], flags)
}

async function renamingSteps(
  context: Context,
  renamings: readonly Renaming[],
  flags: Parsed['flags'],
): Promise<Step[]> {
  const client = await context.client()
  const ifExists = askOncePerTitle(ifExistsAt(context, ifExistsOf(flags)))
  const folders = groupBy(renamings, ({source}) => source.parents[0] ?? '')
  const steps: Step[] = []
  for (const [folderId, some] of folders) {
    steps.push(...(await stepsIn(client, folderId, some, ifExists)))
  }
  return steps
}

function checkTitle({original}: SourceItem, title: string): void {
  if (title === '') throw new UsageError(`Cannot rename ${original}: the new name would be empty.`)
  if (!title.includes('/')) return
  throw new UsageError(
    `Cannot rename ${original} to ${title}: the new name must not contain a slash.`,
    'To move files, run `drv mv`.',
  )
}

/** The steps for files in one folder; without a folder ID, conflicts cannot be checked. */
async function stepsIn(
  client: Client,
  folderId: string,
  renamings: readonly Renaming[],
  ifExists: (title: string) => Promise<IfExists>,
): Promise<Step[]> {
  if (folderId === '') return renamings.map(titleStep)
  const {driveId} = renamings[0]!.source
  const target = {folderId, above: folderId, ...(driveId !== undefined && {driveId})}
  const wanted = renamings.map(({source, title}) => ({
    ...source,
    entry: {...source.entry, title},
  }))
  // The name of a file that is renamed itself is free, unless its own renaming turns out to fail.
  const staying = new Set<string>()
  for (;;) {
    const names = await takenNames(client, target, wanted)
    const left = new Set(
      renamings.map(({source}) => source.entry.id).filter(id => !staying.has(id)),
    )
    const free: FolderNames = {
      ...names,
      of: title => names.of(title).filter(({id}) => !left.has(id)),
    }
    const all: Step[][] = []
    for (const {source, title} of renamings) {
      all.push(await moveSteps(source, {target: {...target, title}, names: free, ifExists}))
    }
    const stuck = renamings.filter((_, index) => all[index]!.every(isNoChange))
    const ids = stuck.map(({source}) => source.entry.id).filter(id => !staying.has(id))
    if (ids.length === 0) return all.flat()
    for (const id of ids) staying.add(id)
  }
}

function isNoChange(step: Step): boolean {
  return !('call' in step) || step.call.id === 'files.get'
}

function titleStep({source: {original, entry}, title}: Renaming): Step {
  const input = {params: {fileId: entry.id, ...ALL_DRIVES}, body: {title}}
  return {original, call: {id: 'files.patch', input}}
}

/** Asks once per title and remembers the choice. */
function askOncePerTitle(
  ask: (title: string) => Promise<IfExists>,
): (title: string) => Promise<IfExists> {
  const answers = new Map<string, Promise<IfExists>>()
  return title => {
    const answer = answers.get(title) ?? ask(title)
    answers.set(title, answer)
    return answer
  }
}
