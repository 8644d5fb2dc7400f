import {join} from 'node:path'
import type {Context} from '#lib/cli/context/context.js'
import {nameFromKey} from '#lib/platform/state-file.js'
import {enterRun, forgetIds, type Sharing} from '#lib/transfer/tree/reserved-ids.js'

/**
 * Shares reserved IDs with other runs, so that concurrent runs do not create an item twice. Call it before
 * listing existing items. A dry run shares nothing.
 */
export async function shareIds(context: Context): Promise<Sharing> {
  const file = context.options.dryRun ? undefined : await treeStateFile(context, 'trees')
  if (file !== undefined) context.onEnd(await enterRun(file))
  const {onLoss} = await context.transfer()
  return {file, now: context.now, onLoss}
}

/** Drops reserved IDs once the command has succeeded, because their items exist. */
export function forgetOnSuccess(
  context: Context,
  {file, now}: Sharing,
  ids: Iterable<string>,
): void {
  if (file !== undefined) context.onSuccess(() => forgetIds(file, ids, now))
}

/**
 * The path of a state file for the profile's service: `trees` holds reserved IDs of new files, `names` the
 * local names of files with conflicting titles. `undefined` without a home directory.
 */
export async function treeStateFile(
  context: Context,
  kind: 'trees' | 'names',
): Promise<string | undefined> {
  const {profile, binding} = await context.settings()
  const {state} = context.directories
  return state && join(state, kind, `${nameFromKey([profile, binding], 32)}.json`)
}
