import {join} from 'node:path'
import type {Context} from '#lib/cli/context/context.js'
import type {Settings} from '#lib/config/settings.js'
import {nameFromKey} from '#lib/platform/state-file.js'
import {openTree, type RememberedTree} from '#lib/transfer/sync/remembered-tree.js'

/**
 * The remembered tree of a local folder, for the profile, service and account of this command; push and pull
 * share it. `root` is the real path of the folder. `undefined` if nothing can be remembered: without a home
 * directory, in a dry run, or if the account is unknown.
 */
export async function rememberedTree(
  context: Context,
  root: string,
): Promise<RememberedTree | undefined> {
  const {directories, options} = context
  if (directories.state === undefined || options.dryRun || options.plan !== undefined)
    return undefined
  const settings = await context.settings()
  const account = accountOf(settings)
  if (account === undefined) return undefined
  const key = [settings.profile, settings.binding, account, root]
  return openTree(join(directories.state, 'remembered', `${nameFromKey(key, 32)}.jsonl`))
}

/** Identifies the account; for a token from outside the token itself, which the hash in the file name hides. */
function accountOf({
  environmentToken,
  tokenCommand,
  signIn,
  embedded,
}: Settings): string | undefined {
  if (environmentToken !== undefined) return `token ${environmentToken}`
  if (tokenCommand !== undefined) return `command ${tokenCommand}`
  const {id, login} = signIn?.user ?? {}
  if (id !== undefined || login !== undefined) return `user ${id ?? login}`
  return embedded && !signIn ? 'owner' : undefined
}
