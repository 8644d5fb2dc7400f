import {createWriteStream} from 'node:fs'
import {mkdtemp, rm} from 'node:fs/promises'
import {join, resolve, sep} from 'node:path'
import {pipeline} from 'node:stream/promises'
import type {Context} from '#lib/cli/context/context.js'
import {unwritable} from '#lib/cli/explain/unreadable.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {waitForInput} from '#lib/cli/terminal/io.js'

/** Stores the content that a plan uploads and that is in no local file, in a folder next to the plan. */

/** Creates the folder for content of a plan, which only the owner can read. Throws `UsageError`. */
export async function createContentFolder({options}: Pick<Context, 'options'>): Promise<string> {
  const {plan = '-'} = options
  if (plan === '-') {
    throw new UsageError(
      'Cannot write this plan to standard output: its content needs a folder next to the plan.',
      'Pass --plan FILE.',
    )
  }
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

/** Deletes folders that `createContentFolder` created; those that cannot be deleted stay. */
export async function removeContentFolders(folders: Iterable<string>): Promise<void> {
  for (const folder of folders) {
    await rm(folder, {recursive: true, force: true}).catch(() => undefined)
  }
}
