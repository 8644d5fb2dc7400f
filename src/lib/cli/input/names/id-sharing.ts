import {join} from 'node:path'
import type {Context} from '#lib/cli/context/context.js'
import {nameFromKey} from '#lib/platform/state-file.js'
import {enterRun, forgetIds, type Sharing} from '#lib/transfer/tree/reserved-ids.js'

/**
 * Lets a command agree with other runs on the IDs of what it creates; called before the command looks
 * at what exists. A dry run agrees with nobody.
 */
export async function shareIds(context: Context): Promise<Sharing> {
  const file = context.options.dryRun ? undefined : await treeStateFile(context, 'trees')
  if (file !== undefined) context.onEnd(await enterRun(file))
  const {onLoss} = await context.transfer()
  return {file, now: context.now, onLoss}
}

/** Forgets IDs once the command has succeeded: what they were reserved for exists. */
export function forgetOnSuccess(
  context: Context,
  {file, now}: Sharing,
  ids: Iterable<string>,
): void {
  if (file !== undefined) context.onSuccess(() => forgetIds(file, ids, now))
}

/**
 * The state file of a kind for the profile's service: `trees` holds the IDs of new files, `names` the
 * local names of files whose titles do not tell them apart. None on a machine without a home directory.
 */
export async function treeStateFile(
  context: Context,
  kind: 'trees' | 'names',
): Promise<string | undefined> {
  const {profile, binding} = await context.settings()
  const {state} = context.directories
  return state && join(state, kind, `${nameFromKey([profile, binding], 32)}.json`)
}
