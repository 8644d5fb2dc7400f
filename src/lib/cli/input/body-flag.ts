import type {Context} from '#lib/cli/context/context.js'
import {unreadable} from '#lib/cli/explain/unreadable.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {readAll, readLocalText} from '#lib/cli/terminal/io.js'
import {parseBody} from './call-input.js'

/** The object that `--body` gives: JSON itself, `@FILE` or `-` for standard input. */
export async function readBodyFlag(
  flag: string | undefined,
  context: Pick<Context, 'io' | 'waits'>,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (flag === undefined) return undefined
  if (flag === '-') return parseBody(await readAll(context), 'The body on standard input')
  if (!flag.startsWith('@')) return parseBody(flag, '--body')
  const path = flag.slice(1)
  if (path === '') throw new UsageError('--body @ lacks the path of a file behind the @.')
  const text = await readLocalText(path, context).catch((error: unknown) => {
    throw unreadable(`the body from ${path}`, error)
  })
  return parseBody(text, path)
}
