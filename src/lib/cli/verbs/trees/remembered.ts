import {existsSync} from 'node:fs'
import {realpath} from 'node:fs/promises'
import {basename, dirname, join} from 'node:path'
import {parentIds} from '#lib/api/reached.js'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import type {Context} from '#lib/cli/context/context.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import type {Client} from '#lib/client/client.js'
import type {Settings} from '#lib/config/settings.js'
import {changesSince} from '#lib/follow/poll.js'
import {nameFromKey} from '#lib/platform/state-file.js'
import {localName} from '#lib/transfer/local/names.js'
import {ALL_DRIVES} from '#lib/transfer/remote/records.js'
import type {RemotePath} from '#lib/transfer/remote/remote-path.js'
import type {Sources} from '#lib/transfer/remote/sources.js'
import {applyChanges, changeParameters, nameOfRoot} from '#lib/transfer/sync/apply-changes.js'
import {openTree, type RememberedTree} from '#lib/transfer/sync/remembered-tree.js'
import type {TreeFingerprint} from '#lib/transfer/sync/tree-fingerprint.js'
import type {TreeHead} from '#lib/transfer/sync/tree-lines.js'
import type {TreeDraft} from '#lib/transfer/sync/tree-state.js'

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
  const isPreview = options.dryRun || options.plan !== undefined
  if (directories.state === undefined || isPreview) return undefined
  const settings = await context.settings()
  const account = accountOf(settings)
  if (account === undefined) return undefined
  const key = [settings.profile, settings.binding, account, root]
  return openTree(join(directories.state, 'remembered', `${nameFromKey(key, 32)}.jsonl`))
}

/** The error for a tree that cannot be remembered; `failed` is the beginning of its message. */
export function notRememberedError(
  {directories}: Pick<Context, 'directories'>,
  failed: string,
): CommandError {
  const [reason, hint] =
    directories.state === undefined
      ? ['there is no directory for state files', 'Set HOME or XDG_STATE_HOME.']
      : ['the account is unknown', 'Sign in with `drv auth login`.']
  return new CommandError('failed', `${failed}: ${reason}.`, hint)
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

/** The real path of a file that may not exist yet. */
export async function realPathOf(path: string): Promise<string> {
  if (existsSync(path) || dirname(path) === path) return realpath(path)
  return join(await realPathOf(dirname(path)), basename(path))
}

/** A tree that is current: all remote changes have been applied to it. */
export interface RecalledTree {
  readonly tree: RememberedTree
  /** The path of the tree below LOCAL; '' if LOCAL is the tree. */
  readonly prefix: string
  /** If nothing was left to transfer, the state of the local folder in that case. */
  readonly fingerprint?: TreeFingerprint
}

/**
 * The path below LOCAL under which a pull saves a folder, as far as it is known without a request: '' for the
 * contents of a folder.
 */
function prefixOf({isContents, names}: RemotePath): string | undefined {
  if (isContents) return ''
  const last = names.at(-1)
  return last === undefined ? undefined : prefixFor(last)
}

/** The same for a folder that is named by its ID; takes one request. */
async function prefixById(client: Client, {start, names}: RemotePath): Promise<string | undefined> {
  if (start.in !== 'id' || names.length > 0) return undefined
  const params = {fileId: start.id, fields: 'title,mimeType', ...ALL_DRIVES}
  // The resolver reports an ID that does not exist.
  const found = await client.call('files.get', {params}).catch(() => undefined)
  const {title, mimeType} = found ?? {}
  return typeof title === 'string' && mimeType === FOLDER_TYPE ? prefixFor(title) : undefined
}

function prefixFor(title: string): string {
  return localName(title, {isWindows: process.platform === 'win32'})
}

/** Whether a tree can be remembered for a remote path: items of the trash and shared items have no path. */
function isRememberable({start, known}: RemotePath): boolean {
  return known === undefined && start.in !== 'trash' && start.in !== 'shared'
}

/**
 * The tree that an earlier pull of `place` to the folder `to` left, with all remote changes since. `undefined`
 * if everything has to be listed: there is no such tree, its page token has expired, or a change concerns the
 * path itself. Takes one request per page of changes, and one more for an ID.
 */
export async function recallTree(
  context: Context,
  client: Client,
  place: RemotePath,
  to: string,
): Promise<RecalledTree | undefined> {
  if (!isRememberable(place)) return undefined
  const prefix = prefixOf(place) ?? (await prefixById(client, place))
  if (prefix === undefined) return undefined
  const tree = await rememberedTree(context, await realPathOf(join(to, prefix)))
  if (!tree) return undefined
  let isCurrent = false
  try {
    const fingerprint = tree.fingerprint()
    const head = fingerprint?.head ?? tree.head
    if (!head?.names.includes(nameOfRoot(place.start, place.names))) return undefined
    isCurrent = await bringUpToDate(context, client, tree, head)
    // Remote changes may have been applied to the tree.
    return isCurrent ? {tree, prefix, fingerprint: fingerprint && tree.fingerprint()} : undefined
  } finally {
    if (!isCurrent) tree.unload()
  }
}

/** Applies the remote changes since the last round; false if that is not possible. `head` is the head of the tree. */
export async function bringUpToDate(
  context: Context,
  client: Client,
  tree: RememberedTree,
  head = tree.head,
): Promise<boolean> {
  if (!head?.token) return false
  const polling = {client, pageToken: head.token, params: changeParameters(head)}
  for await (const page of changesSince({...polling, sleep: context.sleep, isPatient: false})) {
    if ('expired' in page) return false
    const isSame = page.changes.length === 0 && page.nextToken === head.token
    if (!isSame && !(await applyPage(tree, page))) return false
    if (page.isCurrent) return true
  }
  return false
}

/**
 * Applies a page of changes and remembers the next token; false if everything has to be listed, also because the
 * tree cannot be written.
 */
export async function applyPage(
  tree: RememberedTree,
  {
    changes,
    nextToken,
  }: {readonly changes: Parameters<typeof applyChanges>[1]; readonly nextToken: string},
): Promise<boolean> {
  const apply = (draft: TreeDraft) => {
    const {head} = draft
    if (!head) return false
    const {token: old, ...others} = head
    const isApplied = applyChanges(draft, changes)
    if (!isApplied) draft.setHead(others)
    else if (changes.length > 0 || old !== nextToken) draft.setHead({...others, token: nextToken})
    return isApplied
  }
  return tree.update(apply).catch(() => false)
}

/** A listing of everything, to be remembered. */
export interface NewTree extends RecalledTree {
  readonly listing: {readonly head: TreeHead; readonly entries?: Sources['entries']}
}

/**
 * Resolves the sources of a pull with `resolve`, and what to remember of them. `tree` is missing if the sources
 * are not a single folder.
 */
export async function openSources(
  context: Context,
  client: Client,
  places: readonly RemotePath[],
  to: string,
  resolve: () => Promise<Sources>,
): Promise<{readonly sources: Sources; readonly tree?: NewTree}> {
  const [place] = places
  const isPreview = context.options.dryRun || context.options.plan !== undefined
  if (!place || places.length > 1 || !isRememberable(place) || isPreview)
    return {sources: await resolve()}
  // The token comes first, so that no change is lost.
  const [token, first] = await Promise.all([startToken(client), resolve()])
  if (!first.root) return {sources: first}
  const {driveId, folder, above} = first.root
  // Changes on the way to a shared drive are not among those of the drive.
  if (driveId !== undefined && place.start.in === 'myDrive') return {sources: first}
  const prefix = place.isContents ? '' : prefixFor(folder.title)
  const tree = await rememberedTree(context, await realPathOf(join(to, prefix)))
  if (!tree) return {sources: first}
  const head = {
    rootId: folder.id,
    ...(driveId !== undefined && {driveId}),
    above: above ?? (await foldersAbove(client, folder.id)),
    names: namesFor(tree, folder.id, nameOfRoot(place.start, place.names)),
    token: driveId === undefined ? token : await startToken(client, driveId),
  }
  const sources = driveId === undefined ? first : await resolve()
  const entries = place.isContents ? sources.entries : undefined
  return {sources, tree: {tree, prefix, listing: {head, ...(entries && {entries})}}}
}

/** The names of a root: those that led to it before, and a new one. */
function namesFor({head}: RememberedTree, rootId: string, name: string): string[] {
  const known = head?.rootId === rootId ? head.names : []
  return [...new Set([...known, name])]
}

async function startToken(client: Client, driveId?: string): Promise<string> {
  const params = driveId === undefined ? {} : {driveId, ...ALL_DRIVES}
  const {startPageToken} = (await client.call('changes.getStartPageToken', {params})) ?? {}
  return String(startPageToken)
}

/** The IDs of the folders above one, as far as they are visible. */
async function foldersAbove(client: Client, id: string): Promise<string[]> {
  const found: string[] = []
  for (let at: unknown = id; typeof at === 'string' && !found.includes(at);) {
    if (at !== id) found.push(at)
    const params = {fileId: at, fields: 'parents(id)', ...ALL_DRIVES}
    at = parentIds((await client.call('files.get', {params})) ?? {})[0]
  }
  return found
}
