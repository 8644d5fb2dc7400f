import {existsSync} from 'node:fs'
import {Args} from '@oclif/core'
import type {Context} from '#lib/cli/context/context.js'
import type {Parsed} from '#lib/cli/input/call-input.js'
import {readRemotePath} from '#lib/cli/input/names/lookups.js'
import {ifExistsFlag, ifExistsOf} from '#lib/cli/input/shared-flags.js'
import type {Step} from '#lib/cli/run/plan.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import type {Client} from '#lib/client/client.js'
import {ifExistsAt} from './folder-names.js'
import type {Placing} from './move.js'
import {fromFlag, localSource, refuseLocal, wordsOf} from './path-arguments.js'
import {type MissingSource, type Source, sourcesOf} from './sources.js'
import {type Load, namesIn, refuseIntoItself, targetOf} from './target.js'

/** What `drv cp` and `drv mv` share. */

export const transferArgs = {
  source: Args.string({
    description:
      'Files and folders: a path, a link or an ID. Several may be named, or - for the lines of standard input.',
    required: true,
    multiple: true,
    ignoreStdin: true,
  }),
  dest: Args.string({
    description: 'A folder to put them into, or a new name for the one.',
    required: true,
    ignoreStdin: true,
  }),
}

export const transferFlags = {
  ...ifExistsFlag('Without it a terminal asks, and elsewhere nothing is put there.'),
  ...fromFlag,
}

/** The steps of a command line that puts sources somewhere; `plan` gives those of each that was found. */
export async function planTransfer(
  context: Context,
  {args, flags}: Parsed,
  check: (word: string) => void,
  plan: (client: Client, sources: readonly Source[], placing: Placing) => Promise<Step[][]>,
): Promise<Step[]> {
  const {from} = flags
  // Behind --from the last word is the target, whatever oclif takes it for.
  const given = [args.source ?? [], args.dest ?? []].flat().map(String)
  const dest = given.at(-1)
  if (dest === undefined) throw new UsageError('DEST is missing: where it is to go.')
  const words = await wordsOf(context, {words: given.slice(0, -1), from})
  refuseLocal(words, dest)
  for (const word of words) check(word)
  const found = await sourcesOf(context, words)
  const broken = found.filter((one): one is MissingSource => 'error' in one)
  const local = broken.find(({original, error}) => isMissing(error) && existsSync(original))
  if (local) throw localSource(local.original, dest)
  const sources = found.filter((one): one is Source => !('error' in one))
  if (sources.length === 0) return broken
  const load = loadOf(words, sources)
  const target = await targetOf(context, dest, {load, sources: words})
  const client = await context.client()
  await refuseIntoItself(client, target, sources)
  const names = await namesIn(client, target, sources)
  const ifExists = ifExistsAt(context, ifExistsOf(flags))
  const planned = await plan(client, sources, {target, names, ifExists})
  const steps = found.flatMap(one => ('error' in one ? [one] : planned.shift()!))
  return target.step ? [target.step, ...steps] : steps
}

function isMissing(error: unknown): boolean {
  return error instanceof CommandError && error.exit === 'notFound'
}

function loadOf([word, second]: readonly string[], [source]: readonly Source[]): Load {
  if (second !== undefined) return 'several'
  if (readRemotePath(word!).isContents) return 'contents'
  return source!.entry.kind === 'folder' ? 'folder' : 'file'
}
