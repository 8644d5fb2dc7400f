import type {ParseError} from 'jsonc-parser'
import {isDeeperThan, MOST_LEVELS} from '#lib/api/document/walk.js'
import {isObject} from '#lib/api/validate.js'
import type {Context} from '#lib/cli/context/context.js'
import {unreadable} from '#lib/cli/explain/unreadable.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {readAll, readLocalText} from '#lib/cli/terminal/io.js'
import {hasTooManyValues, MOST_VALUES} from '#lib/client/limits.js'

/**
 * Where a text stops being JSON, as an offset; its length when it ends too early. For texts that
 * `JSON.parse` refused: not all versions of Node say where.
 */
export async function jsonErrorAt(text: string): Promise<number> {
  const {parse} = await import('jsonc-parser')
  const errors: ParseError[] = []
  parse(text, errors, {disallowComments: true})
  return errors[0]?.offset ?? text.length
}

/** `line 2, column 7` for an offset, both counted from 1. */
export function placeIn(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n')
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`
}

/**
 * Throws `UsageError` for more JSON than a service may answer with, before it is parsed: an empty object
 * takes two bytes as text, and a hundred in memory.
 */
export function refuseManyValues(text: string, source: string): void {
  if (!hasTooManyValues(text)) return
  throw new UsageError(
    `Cannot read ${source}: it has more than ${MOST_VALUES} values, the most that drv reads.`,
  )
}

/** Throws `UsageError` for a value too deep for functions that call themselves. */
export function refuseDeepValues(value: unknown, what: string): void {
  if (!isDeeperThan(value, MOST_LEVELS)) return
  throw new UsageError(`${what} has more than ${MOST_LEVELS} levels.`)
}

type Body = Readonly<Record<string, unknown>>

/** The object that `--body` gives: JSON itself, `@FILE` or `-` for standard input. */
export async function readBodyFlag(
  flag: string | undefined,
  context: Pick<Context, 'io' | 'waits'>,
): Promise<Body | undefined> {
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

/** The JSON object in `text`; `source` names where it came from. Throws `UsageError`. */
async function parseBody(given: string, source: string): Promise<Body> {
  // Editors on Windows begin a file with a mark that JSON does not know.
  const text = given.replace(/^\uFEFF/, '')
  if (text.trim() === '') throw new UsageError(`${source} is empty: a JSON object belongs there.`)
  refuseManyValues(text, source)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    const at = await jsonErrorAt(text)
    const words = at === text.length ? 'it ends too early, at' : 'look at'
    throw new UsageError(`${source} is no valid JSON: ${words} ${placeIn(text, at)}.`)
  }
  refuseDeepValues(value, source)
  if (isObject(value)) return value
  throw new UsageError(`${source} must be a JSON object, such as {"title": "Report"}.`)
}
