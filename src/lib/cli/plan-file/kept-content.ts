import {createWriteStream} from 'node:fs'
import {mkdtemp, readdir, rm} from 'node:fs/promises'
import {dirname, join, resolve, sep} from 'node:path'
import {pipeline} from 'node:stream/promises'
import type {Context} from '#lib/cli/context/context.js'
import {unwritable} from '#lib/cli/explain/unreadable.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {waitForInput} from '#lib/cli/terminal/io.js'
import {readFileChunks} from '#lib/platform/open-file.js'

/** Stores the content that a plan uploads and that is in no local file, in a folder next to the plan. */

/**
 * Creates the folder for content of a plan, which only the owner can read. It stays after the command only if the plan
 * uses it. Throws `UsageError`.
 */
export async function createContentFolder({
  options,
  onEnd,
}: Pick<Context, 'options' | 'onEnd'>): Promise<string> {
  const {plan = '-'} = options
  if (plan === '-') {
    throw new UsageError(
      'Cannot write this plan to standard output: drv saves the content to upload in a folder next to the plan file.',
      'Pass --plan FILE.',
    )
  }
  onEnd(() => removeUnusedContent(resolve(plan)))
  const start = `${resolve(plan)}.content-`
  return mkdtemp(start).catch((error: unknown) => {
    throw unwritable(start, error)
  })
}

/** Saves standard input to a file of the plan and returns its path. Throws `UsageError`. */
export async function saveInput(context: Context): Promise<string> {
  const path = join(await createContentFolder(context), 'standard-input')
  const wait = waitForInput(context)
  try {
    await pipeline(context.io.stdin, createWriteStream(path, {mode: 0o600}), {
      signal: context.signal,
    })
    return path
  } catch (error) {
    context.signal.throwIfAborted()
    throw unwritable(path, error)
  } finally {
    wait?.end()
  }
}

/** The folder next to a plan that contains the content at a path; `undefined` for any other path. Pure. */
export function contentFolderOf(plan: string, path: string): string | undefined {
  const start = `${plan}.content-`
  if (!path.startsWith(start)) return undefined
  const [suffix = '', ...below] = path.slice(start.length).split(sep)
  return /^\w{6}$/.test(suffix) && below.length > 0 ? start + suffix : undefined
}

/** Deletes the content of plans that failed, were killed while being written, or were replaced by this plan. */
async function removeUnusedContent(plan: string): Promise<void> {
  const names = await readdir(dirname(plan)).catch(() => [])
  const folders = names
    .map(name => join(dirname(plan), name))
    .filter(path => contentFolderOf(plan, join(path, 'content')) === path)
  const unused = new Set(folders)
  let end = ''
  try {
    for await (const chunk of readFileChunks(plan)) {
      const text = end + chunk.toString('latin1')
      for (const folder of unused) {
        if (text.includes(folder.slice(-SUFFIX))) unused.delete(folder)
      }
      end = text.slice(-SUFFIX)
    }
  } catch (error) {
    // A plan that cannot be read may use all of them.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return
  }
  await removeContentFolders(unused)
}

/** Length of `.content-NBcC1a`. */
const SUFFIX = 15

/** Deletes folders that `createContentFolder` created; those that cannot be deleted stay. */
export async function removeContentFolders(folders: Iterable<string>): Promise<void> {
  for (const folder of folders) {
    await rm(folder, {recursive: true, force: true}).catch(() => undefined)
  }
}
