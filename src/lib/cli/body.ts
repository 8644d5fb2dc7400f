import {readFile} from 'node:fs/promises'
import {UsageError} from './errors.js'
import {parseBody} from './input.js'
import {type Io, readAll} from './io.js'
import {unreadable} from './unreadable.js'

/** The object that `--body` gives: JSON itself, `@FILE` or `-` for standard input. */
export async function readBodyFlag(
  flag: string | undefined,
  io: Pick<Io, 'stdin'>,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (flag === undefined) return undefined
  if (flag === '-') return parseBody(await readAll(io.stdin), 'The body on standard input')
  if (!flag.startsWith('@')) return parseBody(flag, '--body')
  const path = flag.slice(1)
  if (path === '') throw new UsageError('--body @ lacks the path of a file behind the @.')
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw unreadable(`the body from ${path}`, error)
  })
  return parseBody(text, path)
}
