import {stat} from 'node:fs/promises'
import {dirname, relative, resolve, sep} from 'node:path'
import {unreadableFileError} from '#lib/cli/explain/unreadable.js'
import type {LocalFiles} from '#lib/cli/guard/curl.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {md5Of} from '#lib/transfer/tree/settle.js'
import type {PlanLocalFile} from './format.js'

/** Local files in a plan: their paths below its root, and their content as it was when the plan was made. */

/** A local path of a plan, relative to its root, with `/`. Throws `UsageError` for a path outside of it. */
export function planPath(root: string, path: string): string {
  const way = relative(root, resolve(path))
  if (way === '..' || way.startsWith(`..${sep}`) || resolve(root, way) !== resolve(path)) {
    throw new UsageError(
      `Cannot add ${path} to the plan: it is outside ${root}, the root of the plan.`,
      'Run the command in a folder that contains all local files.',
    )
  }
  return way.split(sep).join('/')
}

/** The root for local paths, given the first one: the current folder, or the folder of the path if that is elsewhere. */
export function rootFor(path: string): string {
  const [here, whole] = [resolve(), resolve(path)]
  return whole.startsWith(here.endsWith(sep) ? here : here + sep) ? here : dirname(whole)
}

/** The size and MD5 of content to upload. Throws `UsageError` for content that can be read only once. */
export async function readContent(
  {path, mimeType, scanned}: NonNullable<LocalFiles['content']>,
  root: string,
  signal: AbortSignal,
): Promise<PlanLocalFile> {
  const name = planPath(root, path)
  const facts = scanned ?? (await factsOf(path))
  const file = {kind: 'file', name, path, ...facts} as const
  return {path: name, size: file.size, md5: await md5Of(file, signal), ...(mimeType && {mimeType})}
}

async function factsOf(path: string): Promise<{readonly size: number; readonly modified: number}> {
  const facts = await stat(path).catch((error: unknown) => {
    throw unreadableFileError(path, error)
  })
  if (facts.isFile()) return {size: facts.size, modified: facts.mtimeMs}
  throw new UsageError(
    `Cannot add ${path} to the plan: it is not a regular file.`,
    'Pass a regular file.',
  )
}
